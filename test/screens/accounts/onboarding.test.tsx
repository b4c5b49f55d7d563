// @vitest-environment jsdom
import { screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import {
  getButton,
  fill,
  openStaffApp,
  ownerSignedIn,
  currentPath,
  press,
  refusalAnswer,
  signedIn,
  findTitle,
  toastText,
} from '../../support/pages/staff-app.tsx'

describe('the onboarding', () => {
  const userWithoutRestaurant = {
    restaurantName: null,
    email: 'o@copper.example',
    subscriptionStatus: 'inactive',
  }

  it('names the restaurant and continues to the plans', async () => {
    const { calls, answers } = openStaffApp('/onboarding', {
      'GET /api/auth/user': [200, userWithoutRestaurant],
      'POST /api/auth/setup-restaurant': () => {
        Object.assign(answers, ownerSignedIn)
        return [200, { ...userWithoutRestaurant, ...signedIn }]
      },
    })
    await findTitle("Welcome! Let's get started")
    fill({ 'Restaurant Name': ' The Copper Pot ' })
    press('button', 'Continue')
    await screen.findByText("Restaurant name set! Now let's set up your subscription.")
    await findTitle('Choose Your Plan')
    expect(currentPath()).toBe('/subscribe')
    expect(calls).toMatchObject([['POST /api/auth/setup-restaurant', { restaurantName: 'The Copper Pot' }]])
  })

  it('requires a name', async () => {
    openStaffApp('/onboarding', { 'GET /api/auth/user': [200, userWithoutRestaurant] })
    await findTitle("Welcome! Let's get started")
    press('button', 'Continue')
    expect(await toastText()).toBe('RequiredPlease enter your restaurant name')
  })

  it('shows why it failed', async () => {
    openStaffApp('/onboarding', {
      'GET /api/auth/user': [200, userWithoutRestaurant],
      'POST /api/auth/setup-restaurant': refusalAnswer(409, 'This restaurant name is not available'),
    })
    await findTitle("Welcome! Let's get started")
    fill({ 'Restaurant Name': 'Blue Door' })
    press('button', 'Continue')
    expect(await toastText()).toBe('ErrorThis restaurant name is not available')
    await waitFor(() => expect(getButton('Continue').disabled).toBe(false))
  })

  it('goes on when the restaurant was named in another browser meanwhile', async () => {
    const { answers } = openStaffApp('/onboarding', {
      'GET /api/auth/user': [200, userWithoutRestaurant],
      'POST /api/auth/setup-restaurant': () => {
        Object.assign(answers, ownerSignedIn)
        return refusalAnswer(409, 'Your restaurant is set up already')
      },
    })
    await findTitle("Welcome! Let's get started")
    fill({ 'Restaurant Name': 'Blue Door' })
    press('button', 'Continue')
    expect(await toastText()).toBe('ErrorYour restaurant is set up already')
    await waitFor(() => expect(currentPath()).toBe('/dashboard'))
  })

  it('goes to the sign-in when the session has ended', async () => {
    const { navigations, answers } = openStaffApp('/onboarding', {
      'GET /api/auth/user': [200, userWithoutRestaurant],
    })
    await findTitle("Welcome! Let's get started")
    delete answers['GET /api/auth/user']
    fill({ 'Restaurant Name': 'Blue Door' })
    press('button', 'Continue')
    await screen.findByText('You are logged out. Logging in again...')
    await waitFor(() => expect(navigations).toEqual(['/api/login?returnTo=%2Fonboarding']))
  })
})
