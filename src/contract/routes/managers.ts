import * as v from 'valibot'
import * as forms from '../accounts/account-forms.ts'
import * as signedIn from '../accounts/signed-in.ts'
import { type DeletedItem, RestoredManager } from '../deleted-items.ts'
import { textField } from '../primitives.ts'
import { idParams, type Routes, unchecked } from './route.ts'

export const managers = {
  check: {
    method: 'GET',
    path: '/api/check-manager-credentials/:restaurantName',
    params: v.object({ restaurantName: textField('Restaurant not found', 200) }),
    reply: signedIn.HasCredentials,
  },
  setup: {
    method: 'POST',
    path: '/api/setup-manager-credentials',
    body: forms.ManagerSetup,
    reply: signedIn.SignedInRestaurant,
    status: 201,
  },
  login: {
    method: 'POST',
    path: '/api/management-login',
    body: forms.ManagementLogin,
    reply: signedIn.SignedInRestaurant,
  },
  currentUser: { method: 'GET', path: '/api/admin/current-user', reply: signedIn.AdminUser },
  setCredentials: {
    method: 'POST',
    path: '/api/admin/manager-credentials',
    body: forms.ManagerCredentials,
  },
  remove: { method: 'DELETE', path: '/api/admin/managers/:id', params: idParams },
  signOut: { method: 'DELETE', path: '/api/admin/managers/:id/sessions', params: idParams },
  deleted: {
    method: 'GET',
    path: '/api/admin/deleted-managers',
    reply: unchecked<DeletedItem[]>(),
  },
  restore: {
    method: 'POST',
    path: '/api/admin/deleted-managers/:id/restore',
    params: idParams,
    body: RestoredManager,
  },
} satisfies Routes
