import { type JSX, useEffect } from 'react'
import { api } from '#contract/api.ts'
import { errorMessage, isAccessRefused } from '../../api/http.ts'
import { useApiCache } from '../../api/queries.ts'
import { LoadError } from '../../ui/page/load-error.tsx'

type QueryErrorProps = { error: Error; fallback: string; onRetry: () => unknown }

/** If the session is over, reading the user again makes the page go to the login. */
export function QueryError({ error, fallback, onRetry }: QueryErrorProps): JSX.Element {
  const { invalidate } = useApiCache()
  const refused = isAccessRefused(error)
  useEffect(() => {
    if (refused) void invalidate(api.managers.currentUser)
  }, [refused, invalidate])
  return <LoadError message={errorMessage(error, fallback)} onRetry={onRetry} />
}
