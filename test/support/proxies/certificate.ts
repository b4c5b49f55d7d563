import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

const der = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts)
  const size = content.length
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.of(tag, ...length), content])
}
const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts)
const integer = (value: number) => der(0x02, Buffer.of(value))
const oid = (...bytes: number[]) => der(0x06, Buffer.of(...bytes))
const bits = (content: Uint8Array) => der(0x03, Buffer.of(0), content)
const bytes = (content: Uint8Array) => der(0x04, content)
const time = (year: number) => der(0x18, Buffer.from(`${year}0101000000Z`))
const isTrue = der(0x01, Buffer.of(0xff))

const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
const commonName = oid(0x55, 0x04, 0x03)
const alternativeName = oid(0x55, 0x1d, 0x11)
const basicConstraints = oid(0x55, 0x1d, 0x13)

const localhost = sequence(der(0x82, Buffer.from('localhost')), der(0x87, Buffer.of(127, 0, 0, 1)))
const forLocalhost = sequence(alternativeName, bytes(localhost))
const forAuthority = sequence(basicConstraints, isTrue, bytes(sequence(isTrue)))

const nameOf = (text: string) => sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from(text)))))

/** In PEM, created for each run so that no key is stored. */
export type Certificate = { key: string; cert: string }
type Issuer = { name: string; privateKey: KeyObject }

export const createSelfSignedCertificate = (): Certificate => create('localhost', forLocalhost)

/** An authority of the test's own, and the certificate that it gives to localhost. */
export function createTestAuthority(): { authority: string; issued: Certificate } {
  const { privateKey, cert } = create('Test authority', forAuthority)
  const issued = create('localhost', forLocalhost, { name: 'Test authority', privateKey })
  return { authority: cert, issued }
}

function create(
  name: string,
  extension: Uint8Array,
  issuer?: Issuer,
): Certificate & { privateKey: KeyObject } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const content = sequence(
    der(0xa0, integer(2)),
    integer(issuer ? 2 : 1),
    ecdsaWithSha256,
    nameOf(issuer?.name ?? name),
    sequence(time(2020), time(2120)),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension)),
  )
  const signature = bits(sign('sha256', content, issuer?.privateKey ?? privateKey))
  const lines =
    sequence(content, ecdsaWithSha256, signature)
      .toString('base64')
      .match(/.{1,64}/gu) ?? []
  return {
    privateKey,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  }
}
