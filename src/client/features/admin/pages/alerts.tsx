import type { JSX } from 'react'
import { api } from '#contract/api.ts'
import { useFreshApiQuery } from '../../../api/queries.ts'
import { t } from '../../../lib/texts/translate.ts'
import { InOrder } from '../../../ui/page/in-order.tsx'
import { AlarmSounds } from '../alerts/alarm-sounds.tsx'
import { EscalationCard } from '../alerts/escalation-card.tsx'
import { OutsideAlerts } from '../alerts/outside-alerts.tsx'
import { AdminFrame } from '../frame.tsx'
import { Loaded } from '../loaded.tsx'

/** Whom a request alerts, when, and with which sounds. */
export const AlertsPage = (): JSX.Element => <AdminFrame section="alerts">{() => <Alerts />}</AdminFrame>

function Alerts(): JSX.Element {
  const escalation = useFreshApiQuery(api.escalation.settings, {})
  const outside = useFreshApiQuery(api.outsideAlerts.settings, {})
  const restaurant = useFreshApiQuery(api.restaurant.settings, {})
  return (
    <InOrder className="grid items-start gap-6 *:min-w-0 xl:grid-cols-2">
      <InOrder className="flex flex-col gap-6">
        <Loaded title={t('Alerts')} query={escalation}>
          {(settings) => <EscalationCard settings={settings} />}
        </Loaded>
        <Loaded title={t('Sounds')} query={restaurant}>
          {(settings) => <AlarmSounds settings={settings} />}
        </Loaded>
      </InOrder>
      <Loaded title={t('If nobody answers')} query={outside}>
        {(settings) => <OutsideAlerts settings={settings} />}
      </Loaded>
    </InOrder>
  )
}
