import * as v from 'valibot'
import * as schemas from '../accounts/accounts.ts'
import { type DeletedItem, RestoredManager } from '../deleted-items.ts'
import { textField } from '../primitives.ts'
import { idParams, type Routes, unchecked } from './route.ts'

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
