import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { type JSX, useEffect } from 'react'
import { api } from '#contract/api.ts'
import { ApiError, errorMessage } from '../../api/http.ts'
import { useApiCache } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'

type QueryErrorProps = { error: Error; fallback: string; onRetry: () => unknown }

/** If the session is over, reading the user again makes the page go to the login. */
export function QueryError({ error, fallback, onRetry }: QueryErrorProps): JSX.Element {
  const { invalidate } = useApiCache()
  const refused = error instanceof ApiError && (error.status === 401 || error.status === 403)
  useEffect(() => {
    if (refused) void invalidate(api.managers.currentUser)
  }, [refused, invalidate])
  return <LoadError message={errorMessage(error, fallback)} onRetry={onRetry} />
}

type LoadErrorProps = { message: string; onRetry: () => unknown }

/** Read aloud, unlike the one of `ui`. */
export function LoadError({ message, onRetry }: LoadErrorProps): JSX.Element {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-3 rounded-control border border-late bg-plate-late px-4 py-3">
      <TriangleAlert aria-hidden className="shrink-0 text-late" />
      <p role="alert" className="min-w-[min(10rem,100%)] flex-1 font-semibold">
        {message}
      </p>
      <Button onClick={() => onRetry()}>Try again</Button>
    </div>
  )
}
