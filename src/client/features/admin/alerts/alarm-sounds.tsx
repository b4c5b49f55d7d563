import Play from 'lucide-react/icons/play'
import { type JSX, useEffect, useRef } from 'react'
import {
  type AlarmSet,
  alarmSetLabels,
  alarmSets,
  RestaurantChange,
  type RestaurantSettings,
} from '#contract/accounts/restaurants.ts'
import { api } from '#contract/api.ts'
import { parse } from '#contract/parse.ts'
import { call } from '../../../api/http.ts'
import { useApiCache } from '../../../api/queries.ts'
import { t } from '../../../lib/texts/translate.ts'
import { playTune } from '../../../lib/tunes.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { SelectField } from '../../../ui/form/select-field.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { useToast } from '../../../ui/toast/toast.tsx'
import { useReportError } from '../use-report-error.ts'

/** Which of the sets of sounds the crew's screens play. */
export function AlarmSounds({ settings }: { settings: RestaurantSettings }): JSX.Element {
  const { setData } = useApiCache()
  const { toast } = useToast()
  const reportError = useReportError()
  const listen = useListen()
  const form = useForm<{ alarmSet: string }, RestaurantChange>({
    initial: { alarmSet: settings.alarmSet },
    parse: (values) => parse(RestaurantChange, values),
    async submit(body) {
      setData(api.restaurant.settings, {}, await call(api.restaurant.change, { body }))
      toast({ title: t('Success'), description: t('Sounds saved') })
    },
    onError: (error) => reportError(error, 'Failed to save the sounds'),
  })
  const chosen = alarmSets.find((set) => set === form.values.alarmSet) ?? settings.alarmSet

  return (
    <Card
      title={t('Sounds')}
      anchor="sounds"
      description={t('What requests sound like on the crew’s screens')}
    >
      <form {...form.props} className="flex flex-col gap-4">
        <SelectField
          label={t('Request Sounds')}
          hint={t('Choose what is heard best in your rooms. Messages sound the same in every set.')}
          {...form.field('alarmSet')}
        >
          {alarmSets.map((set) => (
            <option key={set} value={set}>
              {t(alarmSetLabels[set])}
            </option>
          ))}
        </SelectField>
        <div className="flex flex-wrap gap-3">
          <Button type="submit" variant="primary" pending={form.busy} pendingLabel={t('Saving…')}>
            {t('Save Sounds')}
          </Button>
          <Button icon={<Play aria-hidden />} onClick={() => listen(chosen)}>
            {t('Listen')}
          </Button>
        </div>
        <p className="text-text-mute">
          {t('You hear a new request, one that waits again, and an urgent one.')}
        </p>
      </form>
    </Card>
  )
}

const pauseSeconds = 0.5

/** Plays a whole set, one sound after another. A second tap starts over. */
function useListen(): (set: AlarmSet) => void {
  const playing = useRef<AudioContext>(null)
  const stop = (): void => void playing.current?.close()
  useEffect(() => stop, [])
  return (set) => {
    stop()
    const context = new AudioContext()
    playing.current = context
    let at = context.currentTime
    for (const urgency of ['new', 'again', 'urgent'] as const)
      at = playTune(context, urgency, set, at) + pauseSeconds
  }
}
