import * as schemas from '../accounts/passkeys.ts'
import { idParams, type Routes, unchecked } from './route.ts'

export const passkeys = {
  list: { method: 'GET', path: '/api/passkeys', reply: unchecked<schemas.OwnPasskeys>() },
  setUp: { method: 'POST', path: '/api/passkeys/setup', reply: unchecked<schemas.PasskeySetup>() },
  add: {
    method: 'POST',
    path: '/api/passkeys',
    body: schemas.NewPasskey,
    reply: unchecked<schemas.Passkey>(),
    status: 201,
  },
  remove: { method: 'DELETE', path: '/api/passkeys/:id', params: idParams },
  /** A challenge for somebody who is about to sign in. */
  challenge: { method: 'POST', path: '/api/passkey-challenge', reply: schemas.PasskeyChallenge },
  login: {
    method: 'POST',
    path: '/api/passkey-login',
    body: schemas.PasskeyLogin,
    reply: schemas.PasskeySignedIn,
  },
} satisfies Routes
