import { expect, it } from 'vitest'
import { createArgon2Passwords } from '../../src/server/adapters/auth/argon2.ts'
import { password, setUpApp } from '../support/app.ts'
import { postFrom, uniqueAddress } from '../support/restaurants/logins.ts'

const app = setUpApp({ trustProxy: ['loopback'] })

/** Tries one invented name after the other, as fast as the server answers. */
async function guess(
  address: string,
  { over, onStatus }: { over: AbortSignal; onStatus: (status: number) => void },
) {
  for (let tries = 0; !over.aborted; tries++) {
    const body = { restaurantName: `Invented ${address} ${tries}`, password: 'wrong-password' }
    onStatus((await postFrom(app.browser(), '/api/restaurant-login', body, address)).status)
  }
}

it('guesses from many addresses shut out neither known browsers nor restaurants that exist', async () => {
  const { name, owner, device } = await app.restaurant()
  // As slow as they are in production, so that they queue up.
  Object.assign(app.ctx.passwords, createArgon2Passwords())
  const seen = new Set<number>()
  const full = Promise.withResolvers<void>()
  const flood = new AbortController()
  const onStatus = (status: number) => {
    seen.add(status)
    if (status === 503) full.resolve()
  }
  const guessing = Promise.all(
    Array.from({ length: 40 }, () => guess(uniqueAddress(), { over: flood.signal, onStatus })),
  )
  await full.promise

  const right = { restaurantName: name, password }
  const statuses: number[] = []
  for (let tries = 0; tries < 8; tries++) {
    const answers = await Promise.all([
      postFrom(device, '/api/restaurant-login', right),
      postFrom(owner, '/api/demo-login', { username: name, password }),
      postFrom(app.browser(), '/api/restaurant-login', right, uniqueAddress()),
    ])
    statuses.push(...answers.map(({ status }) => status))
  }
  flood.abort()
  await guessing
  expect(statuses).toEqual(Array(24).fill(200))
  expect(seen).toEqual(new Set([401, 503]))
})
