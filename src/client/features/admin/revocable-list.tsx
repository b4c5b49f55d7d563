import type { JSX, ReactNode } from 'react'
import { useFocusAfterRemoval } from '../../lib/hooks/use-focus-after-removal.ts'
import { t } from '../../lib/texts/translate.ts'
import { Button } from '../../ui/button.tsx'
import { RemoveDialog } from '../../ui/dialogs/remove-dialog.tsx'
import { useDialog } from '../../ui/dialogs/use-dialog.ts'
import { useToast } from '../../ui/toast/toast.tsx'
import { useReportError } from './use-report-error.ts'

type RevocableListProps<Entry> = {
  entries: Entry[]
  label: string
  noneYet: string
  nameOf: (entry: Entry) => string
  renderDetails: (entry: Entry) => ReactNode
  /** The title of the dialog that asks before it is done. */
  title: string
  describe: (name: string) => string
  revoke: (entry: Entry) => Promise<unknown>
  revokedMessage: (name: string) => string
  errorMessage: string
}

/** What has a secret token that others hold: each entry can be revoked, and never brought back. */
export function RevocableList<Entry extends { id: string }>(props: RevocableListProps<Entry>): JSX.Element {
  const { entries, label, noneYet, nameOf, renderDetails, title, describe } = props
  const revocation = useDialog<Entry>()
  const { toast } = useToast()
  const reportError = useReportError()
  const { container, markRemoved, nextControl } = useFocusAfterRemoval<HTMLUListElement>(
    entries,
    'button',
    'input, select',
  )

  async function revoke(entry: Entry): Promise<void> {
    try {
      await props.revoke(entry)
      toast({ title: t('Success'), description: props.revokedMessage(nameOf(entry)) })
    } catch (error) {
      reportError(error, props.errorMessage)
    }
  }

  return (
    <>
      {entries.length === 0 && <p className="text-text-mute">{noneYet}</p>}
      <ul ref={container} aria-label={label} className="flex flex-col">
        {entries.map((entry, index) => (
          <li
            key={entry.id}
            className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-t border-rule py-2 first:border-0"
          >
            <div className="min-w-[min(12rem,100%)] flex-1 wrap-anywhere">
              <p className="font-semibold">{nameOf(entry)}</p>
              <div className="text-text-mute">{renderDetails(entry)}</div>
            </div>
            <Button
              variant="quiet"
              aria-label={t('Revoke {button}', { button: nameOf(entry) })}
              onClick={() => {
                markRemoved(entry, index)
                revocation.open(entry)
              }}
            >
              {t('Revoke')}
            </Button>
          </li>
        ))}
      </ul>
      <RemoveDialog
        dialog={revocation}
        title={title}
        description={describe(revocation.subject ? nameOf(revocation.subject) : '')}
        cancelLabel={t('Keep it')}
        confirmLabel={t('Revoke')}
        remove={revoke}
        finalFocus={nextControl}
      />
    </>
  )
}
