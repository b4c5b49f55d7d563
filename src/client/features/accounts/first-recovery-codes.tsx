import { type JSX, useEffect, useEffectEvent, useState } from 'react'
import { api } from '#contract/api.ts'
import { errorMessage } from '../../api/http.ts'
import { useApiMutation } from '../../api/queries.ts'
import { removeStored, getStored } from '../../lib/browser/browser-storage.ts'
import { useMedia } from '../../lib/hooks/use-media.ts'
import { t } from '../../lib/texts/translate.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { NewRecoveryCodes } from '../../ui/new-recovery-codes.tsx'
import { Spinner } from '../../ui/page/spinner.tsx'
import { useErrorToast } from '../../ui/toast/toast.tsx'

export const hasUnsavedRecoveryCodes = (restaurantName: string): boolean =>
  getStored('signedUp') !== null || getStored('unsaved-recovery-codes') === restaurantName

type FirstRecoveryCodesProps = { restaurantName: string; onDone: () => void }

/**
 * Shown right after sign-up; on a phone on demand, since the first step would be below them there. Owners who left before
 * saving the codes are offered new ones.
 */
export function FirstRecoveryCodes({ restaurantName, onDone }: FirstRecoveryCodesProps): JSX.Element {
  const { mutate, isPending } = useApiMutation(
    api.recovery.renewCodes,
    api.recovery.codes,
    api.recovery.notices,
  )
  const [codes, setCodes] = useState<string[] | null>(null)
  const showError = useErrorToast()
  const isPhone = useMedia('(width < 40rem)')
  const [isNew] = useState(() => getStored('signedUp') !== null)

  const make = (): void => {
    const first = getStored('signedUp') !== null
    removeStored('signedUp')
    mutate(
      {},
      {
        onSuccess: (made) => setCodes(made.codes),
        onError(error) {
          showError(errorMessage(error, 'Failed to make recovery codes'))
          // The notice that links to the Security page is shown instead.
          if (first) onDone()
        },
      },
    )
  }
  const makeFirst = useEffectEvent(() => {
    if (!isPhone && getStored('signedUp') !== null) make()
  })
  useEffect(() => makeFirst(), [])

  return (
    <Card
      title={t('Save your recovery codes')}
      description={t(
        'Each of them lets you back in once, should you forget your password or lose your phone.',
      )}
    >
      {codes && <NewRecoveryCodes {...{ codes, restaurantName, onDone }} />}
      {!codes && isPending && <Spinner />}
      {!codes && !isPending && (
        <div className="flex flex-wrap items-center justify-between gap-3">
          {!isNew && <p>{t('They were shown here and not saved. New ones take their place.')}</p>}
          <Button variant={isNew ? 'secondary' : 'primary'} onClick={make}>
            {t(isNew ? 'Show My Recovery Codes' : 'Show New Codes')}
          </Button>
        </div>
      )}
    </Card>
  )
}
