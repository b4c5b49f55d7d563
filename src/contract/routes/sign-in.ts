import * as forms from '../accounts/account-forms.ts'
import { type ConfirmableIdentity, IdentityConfirmation } from '../accounts/confirmation.ts'
import * as passkeySchemas from '../accounts/passkeys.ts'
import * as signedIn from '../accounts/signed-in.ts'
import { type Routes, unchecked } from './route.ts'

export const accounts = {
  currentUser: { method: 'GET', path: '/api/auth/user', reply: unchecked<signedIn.CurrentUser>() },
  session: { method: 'GET', path: '/api/session', reply: signedIn.StaffSession },
  setupRestaurant: {
    method: 'POST',
    path: '/api/auth/setup-restaurant',
    body: forms.RestaurantSetup,
    reply: unchecked<signedIn.CurrentUser>(),
  },
  signUp: {
    method: 'POST',
    path: '/api/restaurant-signup',
    body: forms.RestaurantSignup,
    reply: signedIn.SignedInRestaurant,
    status: 201,
  },
  tryDemo: {
    method: 'POST',
    path: '/api/try-demo',
    body: forms.TryDemo,
    reply: signedIn.SignedInRestaurant,
    status: 201,
  },
  restaurantLogin: {
    method: 'POST',
    path: '/api/restaurant-login',
    body: forms.RestaurantLogin,
    reply: signedIn.SignedInRestaurant,
  },
  setPassword: { method: 'POST', path: '/api/restaurant-password', body: forms.RestaurantPassword },
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
    body: forms.OwnerLogin,
    reply: signedIn.SignedInRestaurant,
  },
  crewLogin: {
    method: 'POST',
    path: '/api/waiter-login',
    body: forms.UsernameLogin,
    reply: signedIn.SignedInCrew,
  },
} satisfies Routes
