import * as v from 'valibot'
import { SignedInRestaurant } from '../accounts.ts'
import * as deviceSchemas from '../devices.ts'
import * as recoverySchemas from '../recovery.ts'
import * as secondFactorSchemas from '../second-factors.ts'
import { idParams, type Routes } from './route.ts'

export const secondFactors = {
  authenticator: { method: 'GET', path: '/api/authenticator', reply: secondFactorSchemas.Authenticator },
  beginAuthenticator: {
    method: 'POST',
    path: '/api/authenticator',
    reply: secondFactorSchemas.NewAuthenticator,
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
  codes: { method: 'GET', path: '/api/recovery-codes', reply: recoverySchemas.RecoveryCodes },
  /** Makes all earlier codes invalid. */
  renewCodes: {
    method: 'POST',
    path: '/api/recovery-codes',
    reply: recoverySchemas.NewRecoveryCodes,
    status: 201,
  },
  byCode: { method: 'POST', path: '/api/forgot-password', body: recoverySchemas.CodeRecovery },
  byLink: { method: 'POST', path: '/api/reset-password', body: recoverySchemas.LinkRecovery },
  notices: { method: 'GET', path: '/api/owner-notices', reply: v.array(recoverySchemas.OwnerNotice) },
  dismissNotice: { method: 'DELETE', path: '/api/owner-notices/:id', params: idParams },
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
    reply: deviceSchemas.NewDeviceCode,
    status: 201,
  },
  code: {
    method: 'GET',
    path: '/api/device-codes/:id',
    params: idParams,
    reply: deviceSchemas.DeviceCodeState,
  },
  cancelCode: { method: 'DELETE', path: '/api/device-codes/:id', params: idParams },
  list: { method: 'GET', path: '/api/devices', reply: v.array(deviceSchemas.SignedInDevice) },
  rename: { method: 'PATCH', path: '/api/devices/:id', params: idParams, body: deviceSchemas.DeviceChange },
  signOut: { method: 'DELETE', path: '/api/devices/:id', params: idParams },
} satisfies Routes

export const sessions = {
  list: { method: 'GET', path: '/api/sessions', reply: v.array(deviceSchemas.OwnSession) },
  signOut: { method: 'DELETE', path: '/api/sessions/:id', params: idParams },
  signOutOthers: { method: 'DELETE', path: '/api/sessions' },
} satisfies Routes

export const staffPassword = {
  state: { method: 'GET', path: '/api/staff-password', reply: deviceSchemas.StaffPasswordState },
  set: { method: 'POST', path: '/api/staff-password', body: deviceSchemas.StaffPassword },
  remove: { method: 'DELETE', path: '/api/staff-password' },
} satisfies Routes
