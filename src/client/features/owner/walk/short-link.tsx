import type { JSX } from 'react'
import { api } from '#contract/api.ts'
import { readableLink, type TableCard } from '#contract/floor/qr.ts'
import { useApiMutation } from '../../../api/queries.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx'
import { useDialog } from '../../../ui/dialogs/use-dialog.ts'
import { useOutcomeToast } from '../subscription/use-outcome-toast.ts'

/** The link on a table's card, and how to take it back. */
export function ShortLink({ card: { id, tableNumber, shortLink } }: { card: TableCard }): JSX.Element {
  const question = useDialog()
  const change = useOutcomeToast()
  const revoke = useApiMutation(api.qr.revokeShortLink, api.qr.sheet)

  async function replace(): Promise<void> {
    await change({
      send: () => revoke.mutateAsync({ params: { id } }),
      successMessage: 'Short link replaced',
      errorMessage: 'Failed to replace the short link',
    })
    question.close()
  }

  return (
    <section
      aria-label={t('Short link of table {table}', { table: tableNumber })}
      className="flex flex-wrap items-center gap-3"
    >
      <p className="min-w-0 flex-1 basis-64 wrap-anywhere">
        {t('For guests who cannot scan:')}{' '}
        <strong dir="ltr" className="select-all">
          {readableLink(shortLink)}
        </strong>
      </p>
      <CopyButton text={shortLink}>{t('Copy Link')}</CopyButton>
      <Button onClick={() => question.open()}>{t('Replace Link')}</Button>
      <ConfirmDialog
        title={t('Replace this short link?')}
        description={t(
          'The link on the printed card of table {table} stops working, and the next card has a new one. The code on the card stays valid.',
          { table: tableNumber },
        )}
        open={question.isOpen}
        cancelLabel={t('Keep it')}
        confirmLabel={t('Replace')}
        danger
        pending={revoke.isPending}
        locked
        onConfirm={() => void replace()}
        onCancel={question.close}
      />
    </section>
  )
}
