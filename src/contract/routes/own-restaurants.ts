import * as v from 'valibot'
import { RestaurantSetup } from '../accounts/account-forms.ts'
import { OwnRestaurant, RestaurantGlance } from '../accounts/own-restaurants.ts'
import { SignedInRestaurant } from '../accounts/signed-in.ts'
import { idParams, type Routes } from './route.ts'

/** The restaurants of the signed-in owner. Everything else is asked in the one that the browser is signed in to. */
export const ownRestaurants = {
  list: { method: 'GET', path: '/api/restaurants', reply: v.array(OwnRestaurant) },
  /** The browser stays where it is. */
  add: {
    method: 'POST',
    path: '/api/restaurants',
    body: RestaurantSetup,
    reply: OwnRestaurant,
    status: 201,
  },
  glance: {
    method: 'GET',
    path: '/api/restaurants/:id/glance',
    params: idParams,
    reply: RestaurantGlance,
  },
  /** Signs the browser in to that restaurant as its owner, and out of the present one. */
  switchTo: {
    method: 'POST',
    path: '/api/restaurants/:id/switch',
    params: idParams,
    reply: SignedInRestaurant,
  },
} satisfies Routes
