import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type {
  CreatedCredential,
  PasskeyAssertion,
  PasskeyChallenge,
  PasskeySetup,
} from '#contract/accounts/passkeys.ts'

type Flaws = {
  origin?: string
  rpId?: string
  challenge?: string
  /** Nobody entered a PIN or used a fingerprint. */
  unverified?: boolean
  counter?: number
  userHandle?: string
}

const sha256 = (data: Buffer | string): Buffer => createHash('sha256').update(data).digest()
const text = (bytes: Buffer): string => bytes.toString('base64url')

const userPresent = 0x01
const userVerified = 0x04
const hasCredential = 0x40

/** One passkey on a phone or security key, created as WebAuthn specifies: ES256, no attestation. */
export class SoftwareAuthenticator {
  readonly id: string = text(randomBytes(32))
  counter = 0
  #origin: string
  userHandle = 'bm9ib2R5'
  #keys: { publicKey: KeyObject; privateKey: KeyObject } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

  constructor(origin: string) {
    this.#origin = origin
  }

  create({ challenge, rpId, user }: PasskeySetup, flaws: Flaws = {}): CreatedCredential {
    this.userHandle = user.id
    const id = Buffer.from(this.id, 'base64url')
    const length = Buffer.alloc(2)
    length.writeUInt16BE(id.length)
    const credential = Buffer.concat([Buffer.alloc(16), length, id, this.#coseKey()])
    const authData = this.#authData(rpId, hasCredential, flaws, credential)
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3]),
      cborText('fmt'),
      cborText('none'),
      cborText('attStmt'),
      Buffer.from([0xa0]),
      cborText('authData'),
      cborBytes(authData),
    ])
    const clientDataJSON = this.#clientData('webauthn.create', challenge, flaws)
    return {
      id: this.id,
      response: {
        clientDataJSON: text(clientDataJSON),
        attestationObject: text(attestationObject),
        transports: ['internal'],
      },
    }
  }

  get({ challenge, rpId }: PasskeyChallenge, flaws: Flaws = {}): PasskeyAssertion {
    this.counter += 1
    const authData = this.#authData(rpId, 0, flaws)
    const clientDataJSON = this.#clientData('webauthn.get', challenge, flaws)
    const signature = sign('sha256', Buffer.concat([authData, sha256(clientDataJSON)]), this.#keys.privateKey)
    return {
      id: this.id,
      response: {
        clientDataJSON: text(clientDataJSON),
        authenticatorData: text(authData),
        signature: text(signature),
        userHandle: flaws.userHandle ?? this.userHandle,
      },
    }
  }

  #clientData(type: string, challenge: string, flaws: Flaws): Buffer {
    const { origin = this.#origin, challenge: signed = challenge } = flaws
    return Buffer.from(JSON.stringify({ type, challenge: signed, origin, crossOrigin: false }))
  }

  #authData(rpId: string, flags: number, flaws: Flaws, credential = Buffer.alloc(0)): Buffer {
    const head = Buffer.alloc(5)
    head.writeUInt8(flags | userPresent | (flaws.unverified ? 0 : userVerified))
    head.writeUInt32BE(flaws.counter ?? this.counter, 1)
    return Buffer.concat([sha256(flaws.rpId ?? rpId), head, credential])
  }

  /** {1: 2, 3: -7, -1: 1, -2: x, -3: y} */
  #coseKey(): Buffer {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' })
    return Buffer.concat([
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
      cborBytes(Buffer.from(x, 'base64url')),
      Buffer.from([0x22]),
      cborBytes(Buffer.from(y, 'base64url')),
    ])
  }
}

const cborText = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0x60 | text.length]), Buffer.from(text)])

function cborBytes(bytes: Buffer): Buffer {
  const head = bytes.length < 256 ? Buffer.from([0x58, bytes.length]) : Buffer.alloc(3, 0x59)
  if (bytes.length >= 256) head.writeUInt16BE(bytes.length, 1)
  return Buffer.concat([head, bytes])
}
