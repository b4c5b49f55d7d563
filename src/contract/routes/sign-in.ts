import * as v from 'valibot'
import * as schemas from '../accounts.ts'
import { ConfirmableIdentity, IdentityConfirmation } from '../confirmation.ts'
import * as passkeySchemas from '../passkeys.ts'
import { textField } from '../primitives.ts'
import { idParams, type Routes } from './route.ts'

export const accounts = {
  currentUser: { method: 'GET', path: '/api/auth/user', reply: schemas.CurrentUser },
  session: { method: 'GET', path: '/api/session', reply: schemas.StaffSession },
  setupRestaurant: {
    method: 'POST',
    path: '/api/auth/setup-restaurant',
    body: schemas.RestaurantSetup,
    reply: schemas.CurrentUser,
  },
  signUp: {
    method: 'POST',
    path: '/api/restaurant-signup',
    body: schemas.RestaurantSignup,
    reply: schemas.SignedInRestaurant,
    status: 201,
  },
  restaurantLogin: {
    method: 'POST',
    path: '/api/restaurant-login',
    body: schemas.RestaurantLogin,
    reply: schemas.SignedInRestaurant,
  },
  setPassword: { method: 'POST', path: '/api/restaurant-password', body: schemas.RestaurantPassword },
  identity: { method: 'GET', path: '/api/confirm-identity', reply: ConfirmableIdentity },
  /** Renews the recent sign-in without starting a new session. */
  confirmIdentity: { method: 'POST', path: '/api/confirm-identity', body: IdentityConfirmation },
  /** A challenge for a passkey of the person who is signed in. */
  confirmationChallenge: {
    method: 'POST',
    path: '/api/confirm-identity/challenge',
    reply: passkeySchemas.PasskeyChallenge,
  },
  ownerLogin: {
    method: 'POST',
    path: '/api/demo-login',
    body: schemas.SecondFactorLogin,
    reply: schemas.SignedInRestaurant,
  },
  crewLogin: {
    method: 'POST',
    path: '/api/waiter-login',
    body: schemas.UsernameLogin,
    reply: schemas.SignedInCrew,
  },
} satisfies Routes

export const passkeys = {
  list: { method: 'GET', path: '/api/passkeys', reply: passkeySchemas.OwnPasskeys },
  setUp: { method: 'POST', path: '/api/passkeys/setup', reply: passkeySchemas.PasskeySetup },
  add: {
    method: 'POST',
    path: '/api/passkeys',
    body: passkeySchemas.NewPasskey,
    reply: passkeySchemas.Passkey,
    status: 201,
  },
  remove: { method: 'DELETE', path: '/api/passkeys/:id', params: idParams },
  /** A challenge for somebody who is about to sign in. */
  challenge: { method: 'POST', path: '/api/passkey-challenge', reply: passkeySchemas.PasskeyChallenge },
  login: {
    method: 'POST',
    path: '/api/passkey-login',
    body: passkeySchemas.PasskeyLogin,
    reply: passkeySchemas.PasskeySignedIn,
  },
} satisfies Routes

export const managers = {
  check: {
    method: 'GET',
    path: '/api/check-manager-credentials/:restaurantName',
    params: v.object({ restaurantName: textField('Restaurant not found', 200) }),
    reply: schemas.HasCredentials,
  },
  setup: {
    method: 'POST',
    path: '/api/setup-manager-credentials',
    body: schemas.ManagerSetup,
    reply: schemas.SignedInRestaurant,
    status: 201,
  },
  login: {
    method: 'POST',
    path: '/api/management-login',
    body: schemas.ManagementLogin,
    reply: schemas.SignedInRestaurant,
  },
  currentUser: { method: 'GET', path: '/api/admin/current-user', reply: schemas.AdminUser },
  setCredentials: {
    method: 'POST',
    path: '/api/admin/manager-credentials',
    body: schemas.ManagerCredentials,
  },
  remove: { method: 'DELETE', path: '/api/admin/managers/:id', params: idParams },
  signOut: { method: 'DELETE', path: '/api/admin/managers/:id/sessions', params: idParams },
} satisfies Routes
