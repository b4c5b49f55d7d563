import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api } from '#contract/api.ts'
import { ApiError, call, isAccessRefused, isSignedOut, refusals } from '../../api/http.ts'
import { invalidateRoutes } from '../../api/queries.ts'

/** Anybody may look at them, so they lead to the login themselves. */
const openPages = ['/', '/subscribe']

/**
 * When a call is refused, asks whether the owner or manager is still signed in, so that the page leads to the login if
 * not. A browser whose login has ended may stay signed in as a device, which is only told that it may not do that.
 */
export function useLoginCheck(who: 'owner' | 'manager' | null, path: string): void {
  const client = useQueryClient()
  useEffect(() => {
    if (who === null) return undefined
    const route = who === 'owner' ? api.accounts.currentUser : api.managers.currentUser
    const ask = async (): Promise<boolean> => {
      const hasEnded = await call(route).then(() => false, who === 'owner' ? isSignedOut : isAccessRefused)
      if (hasEnded && !openPages.includes(path)) await invalidateRoutes(client, [route])
      // A manager's login asks who is signed in, and offers nobody who is not any more to continue.
      if (hasEnded && (who === 'manager' || path === '/security'))
        await invalidateRoutes(client, [api.accounts.session])
      return hasEnded
    }
    let asking: Promise<boolean> | null = null
    refusals.explain = async (error, refused) => {
      const isRefusal = isSignedOut(error) || error.code === 'forbidden'
      // The two that it asks itself.
      if (!isRefusal || refused === route || refused === api.accounts.session) return error
      // Several calls that are refused at once share one answer.
      asking ??= ask().finally(() => {
        asking = null
      })
      return (await asking) ? new ApiError(401, 'unauthenticated', error.message) : error
    }
    return () => {
      delete refusals.explain
    }
  }, [client, who, path])
}
