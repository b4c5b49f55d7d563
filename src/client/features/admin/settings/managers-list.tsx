import type { JSX } from 'react'
import type { AdminUser } from '#contract/accounts/signed-in.ts'
import { api } from '#contract/api.ts'
import { call } from '../../../api/http.ts'
import { useApiCache } from '../../../api/queries.ts'
import { useFocusAfterRemoval } from '../../../lib/hooks/use-focus-after-removal.ts'
import { useTask } from '../../../lib/hooks/use-task.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { RemoveDialog } from '../../../ui/dialogs/remove-dialog.tsx'
import { useDialog } from '../../../ui/dialogs/use-dialog.ts'
import { useToast } from '../../../ui/toast/toast.tsx'
import { alreadyDeletedText, type Deleted, isFirstDeletion } from '../deleted/deleted-items.ts'
import { useRestore } from '../deleted/restore.tsx'
import { useReportError } from '../use-report-error.ts'

type Manager = NonNullable<AdminUser['managers']>[number]

/** Everybody who may sign in to the Management Portal, the current manager first. */
export function ManagersList({ managers }: { managers: readonly Manager[] }): JSX.Element {
  const removal = useDialog<Manager>()
  const [, run] = useTask()
  const { invalidate } = useApiCache()
  const { toast } = useToast()
  const reportError = useReportError()
  const restore = useRestore()
  const {
    container: listRef,
    markRemoved,
    nextControl,
  } = useFocusAfterRemoval<HTMLUListElement>(managers, 'li button:last-child')

  async function remove({ id, username }: Manager): Promise<void> {
    const removed: Deleted = { kind: 'manager', id, name: username }
    const undo = (): void =>
      void restore(removed).catch((error: unknown) => reportError(error, 'Failed to undo'))
    try {
      const isFirst = await isFirstDeletion(call(api.managers.remove, { params: { id } }))
      toast(
        isFirst
          ? {
              title: t('Success'),
              description: t('{name} was removed', { name: username }),
              action: { label: t('Undo'), onClick: undo },
            }
          : { title: alreadyDeletedText(removed) },
      )
    } catch (error) {
      reportError(error, 'Failed to remove the manager')
    }
    void invalidate(api.managers.currentUser, api.managers.deleted)
  }

  async function signOut({ id, username }: Manager): Promise<void> {
    try {
      await call(api.managers.signOut, { params: { id } })
      toast({ title: t('Success'), description: t('{name} was signed out everywhere', { name: username }) })
    } catch (error) {
      reportError(error, 'Failed to sign the manager out')
    }
  }

  return (
    <>
      <ul ref={listRef} aria-label={t('Managers')} className="flex flex-col">
        {managers.map((manager, index) => (
          <li key={manager.id} className="flex flex-wrap items-center gap-x-2">
            <span className="min-w-[min(12rem,100%)] flex-1 wrap-anywhere">
              <span className="font-semibold">{manager.username}</span>
              {index === 0 && ` ${t('(Current)')}`}
            </span>
            <span className="-mx-edge flex flex-wrap">
              <Button
                variant="quiet"
                aria-label={t('Sign out {name} everywhere', { name: manager.username })}
                onClick={() => void run(() => signOut(manager))}
              >
                {t('Sign out')}
              </Button>
              <Button
                variant="quiet"
                aria-label={t('Remove {name}', { name: manager.username })}
                onClick={() => {
                  markRemoved(manager, index)
                  removal.open(manager)
                }}
              >
                {t('Remove')}
              </Button>
            </span>
          </li>
        ))}
      </ul>
      <RemoveDialog
        dialog={removal}
        title={t('Remove {name}?', { name: removal.subject?.username ?? '' })}
        description={t(
          'This login ends at once. Browsers in which it was used are signed out of the restaurant, except yours. It can be restored for 30 days.',
        )}
        confirmLabel={t('Remove')}
        remove={remove}
        finalFocus={nextControl}
      />
    </>
  )
}
