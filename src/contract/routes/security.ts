import * as deviceSchemas from '../accounts/devices.ts'
import * as recoverySchemas from '../accounts/recovery.ts'
import * as secondFactorSchemas from '../accounts/second-factors.ts'
import { SignedInRestaurant } from '../accounts/signed-in.ts'
import { MailedCode } from '../outside/outside-alerts.ts'
import { idParams, type Routes, unchecked } from './route.ts'

export const secondFactors = {
  authenticator: {
    method: 'GET',
    path: '/api/authenticator',
    reply: unchecked<secondFactorSchemas.Authenticator>(),
  },
  beginAuthenticator: {
    method: 'POST',
    path: '/api/authenticator',
    reply: unchecked<secondFactorSchemas.NewAuthenticator>(),
  },
  turnAuthenticatorOn: {
    method: 'POST',
    path: '/api/authenticator/confirm',
    body: secondFactorSchemas.SecondFactorProof,
  },
  turnAuthenticatorOff: {
    method: 'POST',
    path: '/api/authenticator/remove',
    body: secondFactorSchemas.SecondFactorProof,
  },
} satisfies Routes

export const recovery = {
  codes: { method: 'GET', path: '/api/recovery-codes', reply: unchecked<recoverySchemas.RecoveryCodes>() },
  /** Makes all earlier codes invalid. */
  renewCodes: {
    method: 'POST',
    path: '/api/recovery-codes',
    reply: unchecked<recoverySchemas.NewRecoveryCodes>(),
    status: 201,
  },
  byCode: { method: 'POST', path: '/api/forgot-password', body: recoverySchemas.CodeRecovery },
  /** The answer is the same whether there is such an account or not. */
  sendLink: { method: 'POST', path: '/api/forgot-password/link', body: recoverySchemas.LinkRequest },
  byLink: { method: 'POST', path: '/api/reset-password', body: recoverySchemas.LinkRecovery },
  notices: { method: 'GET', path: '/api/owner-notices', reply: unchecked<recoverySchemas.OwnerNotice[]>() },
  dismissNotice: { method: 'DELETE', path: '/api/owner-notices/:id', params: idParams },
} satisfies Routes

export const ownerEmail = {
  /** Mails a code to the new address. */
  begin: { method: 'POST', path: '/api/owner-email', body: recoverySchemas.NewOwnerEmail },
  confirm: {
    method: 'POST',
    path: '/api/owner-email/confirm',
    body: MailedCode,
    reply: unchecked<recoverySchemas.OwnerEmail>(),
  },
} satisfies Routes

export const devices = {
  /** Signs in with the six digits and the restaurant's name. */
  login: {
    method: 'POST',
    path: '/api/device-login',
    body: deviceSchemas.DeviceLogin,
    reply: SignedInRestaurant,
  },
  /** Returns the restaurant that a link signs in to. */
  link: {
    method: 'POST',
    path: '/api/device-link',
    body: deviceSchemas.DeviceLink,
    reply: SignedInRestaurant,
  },
  linkLogin: {
    method: 'POST',
    path: '/api/device-link-login',
    body: deviceSchemas.DeviceLinkLogin,
    reply: SignedInRestaurant,
  },
  createCode: {
    method: 'POST',
    path: '/api/device-codes',
    reply: unchecked<deviceSchemas.NewDeviceCode>(),
    status: 201,
  },
  code: {
    method: 'GET',
    path: '/api/device-codes/:id',
    params: idParams,
    reply: unchecked<deviceSchemas.DeviceCodeState>(),
  },
  cancelCode: { method: 'DELETE', path: '/api/device-codes/:id', params: idParams },
  list: { method: 'GET', path: '/api/devices', reply: unchecked<deviceSchemas.SignedInDevice[]>() },
  rename: { method: 'PATCH', path: '/api/devices/:id', params: idParams, body: deviceSchemas.DeviceChange },
  signOut: { method: 'DELETE', path: '/api/devices/:id', params: idParams },
} satisfies Routes

export const sessions = {
  list: { method: 'GET', path: '/api/sessions', reply: unchecked<deviceSchemas.OwnSession[]>() },
  signOut: { method: 'DELETE', path: '/api/sessions/:id', params: idParams },
  signOutOthers: { method: 'DELETE', path: '/api/sessions' },
} satisfies Routes

export const staffPassword = {
  state: { method: 'GET', path: '/api/staff-password', reply: unchecked<deviceSchemas.StaffPasswordState>() },
  set: { method: 'POST', path: '/api/staff-password', body: deviceSchemas.StaffPassword },
  remove: { method: 'DELETE', path: '/api/staff-password' },
} satisfies Routes
