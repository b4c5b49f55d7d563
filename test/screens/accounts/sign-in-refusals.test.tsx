// @vitest-environment jsdom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { beforeAll, expect, it } from 'vitest'
import { api } from '#contract/api.ts'
import { password, setUpApp } from '../../support/app.ts'
import {
  currentPath,
  fill,
  findTitle,
  getButton,
  openStaffApp,
  press,
  pressWhenReady,
  waitForToast,
} from '../../support/pages/staff-app.tsx'
import type { Restaurant } from '../../support/restaurants/busy-restaurant.ts'

const app = setUpApp()
let restaurant: Restaurant
beforeAll(async () => {
  restaurant = await app.restaurant({ name: 'The Copper Pot' })
})

it('a restaurant cannot take the name of another', async () => {
  const { refusals } = openStaffApp('/restaurant-signup', {}, app.browser())
  await findTitle('Create Account')
  fill({
    'Restaurant Name': 'the COPPER pot',
    Email: 'rival@example.com',
    Password: password,
    'Confirm Password': password,
  })
  press('checkbox', 'I am not a robot')
  press('button', 'Create Account')
  await waitForToast('There is a restaurant called The Copper Pot already')
  expect(refusals).toContain('409 POST /api/restaurant-signup')
  await waitFor(() => expect(getButton('Create Account').disabled).toBe(false))
})

it('a wrong restaurant password is refused in a toast, and can be retried', async () => {
  const { refusals } = openStaffApp('/restaurant-login', {}, app.browser())
  await findTitle('Restaurant Login')
  fill({ 'Restaurant Name': restaurant.name, Password: 'not this one' })
  press('button', 'Sign In')
  await waitForToast('Please confirm you are not a robot')
  press('checkbox', 'I am not a robot')
  press('button', 'Sign In')
  await waitForToast('Login Failed', 'Invalid credentials')
  expect(refusals).toContain('401 POST /api/restaurant-login')
  expect(currentPath()).toBe('/restaurant-login')
  fill({ Password: password })
  await pressWhenReady('Sign In')
  await findTitle('Select Portal')
})

it('a device of the restaurant is refused at the Management Portal', async () => {
  const { refusals } = openStaffApp('/management-dashboard', {}, restaurant.device)
  await waitForToast('Unauthorized', 'Please log in to access management portal')
  expect(refusals).toContain('403 GET /api/admin/current-user')
  await findTitle('Management Login')
})

it('the restaurant login lets a browser into the crew portal, and not into the Admin Portal', async () => {
  const browser = app.browser()
  openStaffApp('/restaurant-login', {}, browser)
  await findTitle('Restaurant Login')
  fill({ 'Restaurant Name': 'the copper POT', Password: password })
  press('checkbox', 'I am not a robot')
  press('button', 'Sign In')
  await findTitle('Select Portal')
  await screen.findByText('The Copper Pot')
  press('link', 'Crew Portal')
  await findTitle('Crew Dashboard')
  cleanup()
  openStaffApp('/admin-dashboard', {}, browser)
  await waitForToast('Please log in to access admin portal')
  await findTitle('Admin Login')
})

it('the credentials that were set open the management, and wrong ones do not', async () => {
  const body = { restaurantName: restaurant.name, username: 'sam', password: 'lantern-7' }
  await restaurant.device.ok(api.managers.setup, { body })
  const { refusals } = openStaffApp('/portal-selection', {}, restaurant.device)
  await findTitle('Select Portal')
  await pressWhenReady('Management Portal')
  await findTitle('Management Login')
  fill({ Username: 'sam', Password: 'wrong' })
  press('button', 'Sign In')
  await waitForToast('Invalid credentials')
  expect(refusals).toContain('401 POST /api/management-login')
  fill({ Username: 'sam', Password: 'lantern-7' })
  await pressWhenReady('Sign In')
  await findTitle('Management Portal')
})
