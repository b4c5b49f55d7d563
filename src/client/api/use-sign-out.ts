import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useLocation } from 'wouter'
import { clearSessionStorage } from '../lib/browser/browser-storage.ts'

/** For when the session ends: whatever is still on its way would be refused. */
export function useCancelQueries(): () => void {
  const client = useQueryClient()
  return useCallback(() => void client.cancelQueries(), [client])
}

/** Signs out and goes to Restaurant Login, or to where `path` leads. */
export function useSignOut(): (path?: string) => void {
  const cancelQueries = useCancelQueries()
  const [, navigate] = useLocation()
  return (path = '/api/logout?returnTo=/restaurant-login') => {
    cancelQueries()
    clearSessionStorage()
    navigate(path)
  }
}
