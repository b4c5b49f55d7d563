import { type JSX, useEffect, useEffectEvent, useState } from 'react'
import { api } from '#contract/api.ts'
import { saidBy } from '../../api/http.ts'
import { useWrite } from '../../api/queries.ts'
import { forget, recall } from '../../lib/browser-storage.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { NewRecoveryCodes } from '../../ui/new-recovery-codes.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { useToast } from '../../ui/toast.tsx'

export const areCodesUnsaved = (restaurantName: string): boolean =>
  recall('signedUp') !== null || recall('unsaved-recovery-codes') === restaurantName

type FirstRecoveryCodesProps = { restaurantName: string; done: () => void }

/** Shown by themselves right after sign-up; who left before saving them is offered new ones. */
export function FirstRecoveryCodes({ restaurantName, done }: FirstRecoveryCodesProps): JSX.Element {
  const { mutate, isPending } = useWrite(api.recovery.renewCodes, api.recovery.codes, api.recovery.notices)
  const [codes, setCodes] = useState<string[] | null>(null)
  const { toast } = useToast()

  const make = (): void => {
    const first = recall('signedUp') !== null
    forget('signedUp')
    mutate(
      {},
      {
        onSuccess: (made) => setCodes(made.codes),
        onError(problem) {
          const description = saidBy(problem, 'Failed to make recovery codes')
          toast({ title: 'Error', description, destructive: true })
          // The notice that leads to the Security page stands instead.
          if (first) done()
        },
      },
    )
  }
  const makeFirst = useEffectEvent(() => {
    if (recall('signedUp') !== null) make()
  })
  useEffect(() => makeFirst(), [])

  return (
    <Card
      title="Save your recovery codes"
      description="Each of them lets you back in once, should you forget your password or lose your phone."
    >
      {codes && <NewRecoveryCodes {...{ codes, restaurantName, done }} />}
      {!codes && isPending && <Spinner />}
      {!codes && !isPending && (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p>They were shown here and not saved. New ones take their place.</p>
          <Button variant="primary" onClick={make}>
            Show New Codes
          </Button>
        </div>
      )}
    </Card>
  )
}
