import { it, onTestFinished } from 'vitest'
import { emptyDatabase } from '../support/database.ts'
import {
  followResetLink,
  resetPassword,
  signUpOwner,
  startForReset,
} from '../support/servers/reset-password.ts'

it('tableside reset-password prints a link on the database of this run', async () => {
  const { url, drop } = await emptyDatabase()
  const { server, browser } = await startForReset(url)
  onTestFinished(async () => {
    await server.stop()
    await drop()
  })
  await signUpOwner(browser(), 'Blue Door')
  await followResetLink(await resetPassword(url, 'owner@example.com'), browser(), 'silver-kettle-7')
})
