import fc from 'fast-check'
import { expect, it } from 'vitest'
import { SoftwareAuthenticator } from '../../../../test/support/restaurants/software-authenticator.ts'
import { createWebAuthn } from './webauthn.ts'

const origin = 'https://tables.example.com'
const site = { rpId: 'tables.example.com', origin, challenge: 'x'.repeat(32) }
const user = { id: 'bm9ib2R5', name: 'Sam', displayName: 'Sam' }
const webAuthn = createWebAuthn()

it('accepts credentials and signatures of an authenticator', async () => {
  const authenticator = new SoftwareAuthenticator(origin)
  const created = await webAuthn.verifyCreated(authenticator.create({ ...site, user, known: [] }), site)
  expect(created).toMatchObject({ credentialId: authenticator.id, counter: 0 })
  const assertion = authenticator.get({ ...site, known: [] })
  expect(await webAuthn.verifyAssertion(assertion, site, created?.publicKey ?? '')).toEqual({ counter: 1 })
})

it('refuses any other bytes without throwing', async () => {
  const authenticator = new SoftwareAuthenticator(origin)
  const { id, response } = authenticator.create({ ...site, user, known: [] })
  const { publicKey = '' } = (await webAuthn.verifyCreated({ id, response }, site)) ?? {}
  const assertion = authenticator.get({ ...site, known: [] })
  const anything = fc.uint8Array({ minLength: 1, maxLength: 300 })
  const bytes = anything.map((some) => Buffer.from(some).toString('base64url'))
  await fc.assert(
    fc.asyncProperty(bytes, async (given) => {
      const attested = { ...response, attestationObject: given }
      expect(await webAuthn.verifyCreated({ id, response: attested }, site)).toBeNull()
      for (const field of ['clientDataJSON', 'authenticatorData', 'signature']) {
        const broken = { id, response: { ...assertion.response, [field]: given } }
        expect(await webAuthn.verifyAssertion(broken, site, publicKey)).toBeNull()
      }
    }),
    { numRuns: 100 },
  )
  const deep = Buffer.alloc(29_000, 0x81).toString('base64url')
  const attested = { ...response, attestationObject: deep }
  expect(await webAuthn.verifyCreated({ id, response: attested }, site)).toBeNull()
})
