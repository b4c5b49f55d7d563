import { generateKeyPairSync, sign } from 'node:crypto'

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
const time = (year: number) => der(0x18, Buffer.from(`${year}0101000000Z`))

const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
const commonName = oid(0x55, 0x04, 0x03)
const alternativeName = oid(0x55, 0x1d, 0x11)

/** A self-signed certificate for localhost in PEM, created for each run so that no key is stored. */
export function createSelfSignedCertificate(): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const name = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from('localhost')))))
  const hosts = sequence(der(0x82, Buffer.from('localhost')), der(0x87, Buffer.of(127, 0, 0, 1)))
  const content = sequence(
    der(0xa0, integer(2)),
    integer(1),
    ecdsaWithSha256,
    name,
    sequence(time(2020), time(2120)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(alternativeName, der(0x04, hosts)))),
  )
  const certificate = sequence(content, ecdsaWithSha256, bits(sign('sha256', content, privateKey)))
  const lines = certificate.toString('base64').match(/.{1,64}/gu) ?? []
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  }
}
