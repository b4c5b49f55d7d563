import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { type JSX, useEffect } from 'react'
import { api } from '#contract/api.ts'
import { ApiError, saidBy } from '../../api/http.ts'
import { useReads } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'

type ReadProblemProps = { error: Error; otherwise: string; again: () => unknown }

/** What could not be read, with a second chance. Whose session is over is sent to the login by the page's guard. */
export function ReadProblem({ error, otherwise, again }: ReadProblemProps): JSX.Element {
  const { refresh } = useReads()
  const refused = error instanceof ApiError && (error.status === 401 || error.status === 403)
  useEffect(() => {
    if (refused) void refresh(api.managers.currentUser)
  }, [refused, refresh])
  return <Problem said={saidBy(error, otherwise)} again={again} />
}

export function Problem({ said, again }: { said: string; again: () => unknown }): JSX.Element {
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-3 rounded-control border border-late bg-plate-late px-4 py-3">
      <TriangleAlert aria-hidden className="shrink-0 text-late" />
      <p role="alert" className="min-w-[min(10rem,100%)] flex-1 font-semibold">
        {said}
      </p>
      <Button onClick={() => again()}>Try again</Button>
    </div>
  )
}
