import { type JSX, useEffect, useRef, useState } from 'react'
import { api } from '#contract/api.ts'
import { errorMessage } from '../../api/http.ts'
import { useFreshApiQuery, useApiMutation } from '../../api/queries.ts'
import { t } from '../../lib/texts/translate.ts'
import { formatDate } from '../../lib/time/dates.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx'
import { useDialog } from '../../ui/dialogs/use-dialog.ts'
import { NewRecoveryCodes } from '../../ui/new-recovery-codes.tsx'
import { useErrorToast } from '../../ui/toast/toast.tsx'

/** The way back in after a forgotten password or a lost second factor. */
export function RecoveryCodesCard({ restaurantName }: { restaurantName: string }): JSX.Element {
  const { data } = useFreshApiQuery(api.recovery.codes, {})
  const { mutate, isPending } = useApiMutation(
    api.recovery.renewCodes,
    api.recovery.codes,
    api.recovery.notices,
    api.audit.list,
  )
  const [codes, setCodes] = useState<string[] | null>(null)
  const question = useDialog()
  const showError = useErrorToast()
  const frame = useRef<HTMLDivElement>(null)
  const known = data !== undefined
  // The address may name this card, which exists only now.
  useEffect(() => {
    if (known && location.hash === '#recovery-codes') frame.current?.scrollIntoView()
  }, [known])

  function make(): void {
    question.close()
    mutate(
      {},
      {
        onSuccess: (created) => setCodes(created.codes),
        onError: (error) => showError(errorMessage(error, 'Failed to make recovery codes')),
      },
    )
  }

  return (
    <div ref={frame} id="recovery-codes" className="scroll-mt-4">
      <Card
        title={t('Recovery Codes')}
        description={t(
          'Each of them lets you back in once, should you forget your password or lose your phone.',
        )}
      >
        {codes ? (
          <NewRecoveryCodes codes={codes} restaurantName={restaurantName} onDone={() => setCodes(null)} />
        ) : (
          <div className="flex flex-wrap items-center justify-between gap-3">
            <p>{data && codesLeftText(data)}</p>
            <Button
              variant={data?.left === 0 ? 'primary' : 'secondary'}
              disabled={!known}
              pending={isPending}
              onClick={() => (data?.left === 0 ? make() : question.open())}
            >
              {t(data?.left === 0 ? 'Show My Recovery Codes' : 'Make New Codes')}
            </Button>
          </div>
        )}
      </Card>
      <ConfirmDialog
        title={t('Make new recovery codes?')}
        description={t('The codes that you have now stop working.')}
        open={question.isOpen}
        cancelLabel={t('Keep the old ones')}
        confirmLabel={t('Make New Codes')}
        onConfirm={make}
        onCancel={question.close}
      />
    </div>
  )
}

function codesLeftText({ left, createdAt }: { left: number; createdAt: number | null }): string {
  if (createdAt === null) return t('You have none yet.')
  return t('{count} of 10 left, made on {day}.', {
    count: left,
    day: formatDate(createdAt, { dateStyle: 'long' }),
  })
}
