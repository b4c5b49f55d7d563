import { type JSX, type ReactNode, useId, useState } from 'react'
import type { RestaurantChange, RestaurantSettings } from '#contract/restaurants.ts'
import { api } from '#contract/api.ts'
import { call } from '../../../api/http.ts'
import { useApiCache } from '../../../api/queries.ts'
import { Card } from '../../../ui/card.tsx'
import { Checkbox } from '../../../ui/form/checkbox.tsx'
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { useTask } from '../../../lib/use-task.ts'
import { useReportError } from '../use-report-error.ts'

/** Who may send requests, and who may be chosen on a crew screen. Each switch is saved at once. */
export function GuestRules({ settings }: { settings: RestaurantSettings }): JSX.Element {
  const { verifiedOnly, pinRequired, withoutPin } = settings
  const [asking, setAsking] = useState(false)
  const [busy, run] = useTask()
  const { setData } = useApiCache()
  const { toast } = useToast()
  const reportError = useReportError()

  const save = (body: RestaurantChange): void =>
    void run(async () => {
      try {
        setData(api.restaurant.settings, {}, await call(api.restaurant.change, { body }))
        toast({ title: 'Success', description: 'Rules saved' })
      } catch (error) {
        reportError(error, 'Failed to save the rules')
      }
    })

  const names = withoutPin.join(', ')
  return (
    <Card title="Guests and codes" level={3} description="Who may send requests, and who may act at a screen">
      <Rule
        label="Verified codes only"
        hint="Guests must scan a code of yours: the one on their table, or the restaurant’s. Who only has the link reads “Please scan the code on your table.” Codes that were printed before you regenerated them stop working."
        checked={verifiedOnly}
        disabled={busy}
        onSwitch={(on) => save({ verifiedOnly: on })}
      />
      <Rule
        label="PIN required"
        hint="Only crew members with a PIN can be chosen on the crew screens, and the PIN is asked for."
        checked={pinRequired}
        disabled={busy}
        onSwitch={(on) => {
          if (on && withoutPin.length > 0) setAsking(true)
          else save({ pinRequired: on })
        }}
      >
        {withoutPin.length > 0 && (
          <p className="wrap-anywhere">
            <strong className="font-semibold">Without a PIN:</strong> {names}
          </p>
        )}
      </Rule>
      <ConfirmDialog
        title="Require a PIN?"
        open={asking}
        description={`${names} ${withoutPin.length === 1 ? 'has' : 'have'} no PIN and cannot be chosen until they get one. They read “Ask your manager for a PIN”. You set it in the crew list.`}
        cancelLabel="Not now"
        confirmLabel="Require PINs"
        onConfirm={() => {
          setAsking(false)
          save({ pinRequired: true })
        }}
        onCancel={() => setAsking(false)}
      />
    </Card>
  )
}

type RuleProps = {
  label: string
  hint: string
  checked: boolean
  disabled: boolean
  onSwitch: (on: boolean) => void
  children?: ReactNode
}

function Rule({ label, hint, checked, disabled, onSwitch, children }: RuleProps): JSX.Element {
  const id = useId()
  return (
    <div className="flex flex-col gap-1">
      <Checkbox
        {...{ label, checked, disabled }}
        aria-describedby={id}
        onChange={({ target }) => onSwitch(target.checked)}
      />
      <p id={id} className="text-text-mute">
        {hint}
      </p>
      {children}
    </div>
  )
}
