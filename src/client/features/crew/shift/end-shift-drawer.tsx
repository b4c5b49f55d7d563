import { type JSX, useState } from 'react'
import type { CrewMember } from '#contract/crew/crew.ts'
import type { ServiceRequest } from '#contract/requests/requests.ts'
import { useOptimisticRequest } from '../../../api/live/use-optimistic-request.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Drawer } from '../../../ui/dialogs/drawer.tsx'
import { RadioList } from '../../../ui/form/radio-list.tsx'
import { useErrorToast } from '../../../ui/toast/toast.tsx'
import { tablesText } from '../alerts/work-changes.ts'
import { useRequestsOnScreen } from '../requests/requests-provider.tsx'
import { type Breaks, colleaguesOnDuty } from './use-breaks.ts'

type EndShiftDrawerProps = {
  me: CrewMember
  crew: readonly CrewMember[]
  breaks: Breaks
  /** Accepted by `me`. */
  requests: readonly ServiceRequest[]
  onEnd: () => void
  open: boolean
  onOpenChange: (open: boolean) => void
}

const finish = 'finish'
const everybody = 'everybody'

/** Guests read who is on the way, so accepted requests are handed over or released before a shift ends. */
export function EndShiftDrawer(props: EndShiftDrawerProps): JSX.Element {
  const { me, crew, breaks, requests, onEnd, open, onOpenChange } = props
  const request = useOptimisticRequest(useErrorToast())
  const { withdraw } = useRequestsOnScreen()
  const [busy, setBusy] = useState(false)
  const colleagues = colleaguesOnDuty(me, crew, breaks)

  function close(): void {
    onOpenChange(false)
    onEnd()
  }

  function pick(choice: string): void {
    if (choice === finish) return onOpenChange(false)
    if (busy) return
    // What nobody knows of yet is given back without a connection, too.
    if (choice === everybody && requests.filter(({ id }) => !withdraw('accept', id)).length === 0)
      return close()
    request({
      message: { type: 'hand-over-requests', toId: choice === everybody ? null : choice },
      apply: () => setBusy(true),
      confirm() {
        setBusy(false)
        close()
      },
      rollBack: () => setBusy(false),
    })
  }

  return (
    <Drawer
      title={t('You are still on the way')}
      description={t('{tables}. Who goes there when your shift ends?', { tables: tablesText(requests) })}
      open={open}
      onOpenChange={onOpenChange}
    >
      <RadioList
        label={t('Who goes there?')}
        options={[
          { value: finish, label: t("I'll finish them first") },
          { value: everybody, label: t('Give back to everybody') },
          ...colleagues.map(({ id, name, role }) => ({
            value: id,
            label: t('Hand to {name}', { name }),
            detail: t(role),
          })),
        ]}
        value={null}
        onPick={pick}
      />
    </Drawer>
  )
}
