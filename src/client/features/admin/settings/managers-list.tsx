import type { JSX } from 'react'
import type { AdminUser } from '#contract/accounts.ts'
import { api } from '#contract/api.ts'
import { call } from '../../../api/http.ts'
import { useApiCache } from '../../../api/queries.ts'
import { Button } from '../../../ui/button.tsx'
import { ConfirmDialog, useDialog } from '../../../ui/confirm-dialog.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { useTask } from '../../../lib/use-task.ts'
import { useReportError } from '../use-report-error.ts'
import { useFocusAfterRemoval } from '../../../lib/use-focus-after-removal.ts'

type Manager = NonNullable<AdminUser['managers']>[number]

/** Everybody who may sign in to the Management Portal, the current manager first. */
export function ManagersList({ managers }: { managers: readonly Manager[] }): JSX.Element {
  const removal = useDialog<Manager>()
  const [busy, run] = useTask()
  const { invalidate } = useApiCache()
  const { toast } = useToast()
  const reportError = useReportError()
  const {
    container: listRef,
    markRemoved,
    nextControl,
  } = useFocusAfterRemoval<HTMLUListElement>(managers, 'li button:last-child')

  async function remove({ id, username }: Manager): Promise<void> {
    try {
      await call(api.managers.remove, { params: { id } })
      toast({ title: 'Success', description: `${username} was removed` })
    } catch (error) {
      reportError(error, 'Failed to remove the manager')
    }
    removal.close()
    await invalidate(api.managers.currentUser)
  }

  async function signOut({ id, username }: Manager): Promise<void> {
    try {
      await call(api.managers.signOut, { params: { id } })
      toast({ title: 'Success', description: `${username} was signed out everywhere` })
    } catch (error) {
      reportError(error, 'Failed to sign the manager out')
    }
  }

  return (
    <>
      <ul ref={listRef} aria-label="Managers" className="flex flex-col">
        {managers.map((manager, index) => (
          <li key={manager.id} className="flex flex-wrap items-center gap-x-2">
            <span className="min-w-32 flex-1 wrap-anywhere">
              <span className="font-semibold">{manager.username}</span>
              {index === 0 && ' (Current)'}
            </span>
            <Button
              variant="quiet"
              aria-label={`Sign out ${manager.username} everywhere`}
              onClick={() => void run(() => signOut(manager))}
            >
              Sign out
            </Button>
            <Button
              variant="quiet"
              aria-label={`Remove ${manager.username}`}
              onClick={() => {
                markRemoved(manager, index)
                removal.open(manager)
              }}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
      <ConfirmDialog
        title={`Remove ${removal.subject?.username ?? ''}?`}
        description="This login ends at once, wherever it is signed in. Figures and requests stay as they are."
        open={removal.isOpen}
        confirmLabel="Remove"
        danger
        pending={busy}
        onConfirm={() => {
          const { subject } = removal
          if (subject) void run(() => remove(subject))
        }}
        onCancel={removal.close}
        finalFocus={nextControl}
      />
    </>
  )
}
