import { api } from '#contract/api.ts'
import type { Browser } from '../wire.ts'

export const ownerPassword = 'copper-lantern-42'

/** What only an owner may do who has signed in lately. */
export const confirmOwner = (owner: Browser) =>
  owner.ok(api.accounts.confirmIdentity, { body: { password: ownerPassword } })
