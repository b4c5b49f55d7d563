import { type JSX, type ReactNode, useId } from 'react'
import {
  type RestaurantChange,
  type RestaurantSettings,
  type RestaurantSwitch,
  restaurantSwitches,
} from '#contract/accounts/restaurants.ts'
import { api } from '#contract/api.ts'
import { call } from '../../../api/http.ts'
import { useApiCache } from '../../../api/queries.ts'
import { useTask } from '../../../lib/hooks/use-task.ts'
import { plural, t } from '../../../lib/texts/translate.ts'
import { Card } from '../../../ui/card.tsx'
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx'
import { useDialog } from '../../../ui/dialogs/use-dialog.ts'
import { Checkbox } from '../../../ui/form/checkbox.tsx'
import { useToast } from '../../../ui/toast/toast.tsx'
import { useReportError } from '../use-report-error.ts'

const rules: Record<RestaurantSwitch, { label: string; hint: string }> = {
  verifiedOnly: {
    label: 'Verified codes only',
    hint: 'Guests must scan a code of yours: the one on their table, or the restaurant’s. Who only has the link reads “Please scan the code on your table.” Codes that were printed before you regenerated them stop working.',
  },
  pinRequired: {
    label: 'PIN required',
    hint: 'Only crew members with a PIN can be chosen on the crew screens, and the PIN is asked for.',
  },
  expectedTimes: {
    label: 'Expected times',
    hint: 'Guests read how long their requests usually take here. Nothing is shown until 200 similar requests have been completed, at least 8 in 10 of them within that time. The Management Portal shows how often it was right.',
  },
  managerNotes: {
    label: 'A word to the manager',
    hint: 'Guests can write up to 280 characters to the manager, in private: “Something is not right”. Managers and you read it in the Management Portal, and nobody else. It is deleted after 30 days.',
  },
  seating: {
    label: 'Seat tables',
    hint: 'The crew opens a table when guests sit down, and closes it when they have paid (under “Me”). A closed table takes no requests, so a photo of its code alerts nobody. Right after switching this on, open the tables that are already occupied.',
  },
}

/** Who may send requests, and who may be chosen on a crew screen. Each switch is saved at once. */
export function GuestRules({ settings }: { settings: RestaurantSettings }): JSX.Element {
  const { withoutPin } = settings
  const pinQuestion = useDialog()
  const [busy, run] = useTask()
  const { setData } = useApiCache()
  const { toast } = useToast()
  const reportError = useReportError()

  const save = (body: RestaurantChange): void =>
    void run(async () => {
      try {
        setData(api.restaurant.settings, {}, await call(api.restaurant.change, { body }))
        toast({ title: t('Success'), description: t('Rules saved') })
      } catch (error) {
        reportError(error, 'Failed to save the rules')
      }
    })

  const names = withoutPin.join(', ')
  return (
    <Card
      title={t('Guests and codes')}
      anchor="guests"
      description={t('Who may send requests, and who may act at a screen')}
    >
      {restaurantSwitches.map((name) => (
        <Rule
          key={name}
          {...rules[name]}
          checked={settings[name]}
          disabled={busy}
          onSwitch={(on) => {
            if (name === 'pinRequired' && on && withoutPin.length > 0) pinQuestion.open()
            else save({ [name]: on })
          }}
        >
          {name === 'pinRequired' && withoutPin.length > 0 && (
            <p className="wrap-anywhere">
              <strong className="font-semibold">{t('Without a PIN:')}</strong> {names}
            </p>
          )}
        </Rule>
      ))}
      <ConfirmDialog
        title={t('Require a PIN?')}
        open={pinQuestion.isOpen}
        description={plural(
          withoutPin.length,
          '{names} has no PIN and cannot be chosen until they get one. They read “Ask your manager for a PIN”. You set it in the crew list.',
          '{names} have no PIN and cannot be chosen until they get one. They read “Ask your manager for a PIN”. You set it in the crew list.',
          { names },
        )}
        cancelLabel={t('Not now')}
        confirmLabel={t('Require PINs')}
        onConfirm={() => {
          pinQuestion.close()
          save({ pinRequired: true })
        }}
        onCancel={pinQuestion.close}
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
        label={t(label)}
        {...{ checked, disabled }}
        aria-describedby={id}
        onChange={({ target }) => onSwitch(target.checked)}
      />
      <p id={id} className="text-text-mute">
        {t(hint)}
      </p>
      {children}
    </div>
  )
}
