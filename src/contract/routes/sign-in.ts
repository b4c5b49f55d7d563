import * as schemas from '../accounts/accounts.ts'
import { type ConfirmableIdentity, IdentityConfirmation } from '../accounts/confirmation.ts'
import * as passkeySchemas from '../accounts/passkeys.ts'
import { type Routes, unchecked } from './route.ts'

export const accounts = {
  currentUser: { method: 'GET', path: '/api/auth/user', reply: unchecked<schemas.CurrentUser>() },
  session: { method: 'GET', path: '/api/session', reply: schemas.StaffSession },
  setupRestaurant: {
    method: 'POST',
    path: '/api/auth/setup-restaurant',
    body: schemas.RestaurantSetup,
    reply: unchecked<schemas.CurrentUser>(),
  },
  signUp: {
    method: 'POST',
    path: '/api/restaurant-signup',
    body: schemas.RestaurantSignup,
    reply: schemas.SignedInRestaurant,
    status: 201,
  },
  tryDemo: {
    method: 'POST',
    path: '/api/try-demo',
    body: schemas.TryDemo,
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
  identity: { method: 'GET', path: '/api/confirm-identity', reply: unchecked<ConfirmableIdentity>() },
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
    body: schemas.OwnerLogin,
    reply: schemas.SignedInRestaurant,
  },
  crewLogin: {
    method: 'POST',
    path: '/api/waiter-login',
    body: schemas.UsernameLogin,
    reply: schemas.SignedInCrew,
  },
} satisfies Routes
