import { type JSX, useMemo, useState } from 'react'
import { RestaurantChange, type RestaurantSettings } from '#contract/accounts/restaurants.ts'
import { api } from '#contract/api.ts'
import { parse } from '#contract/parse.ts'
import { call } from '../../../api/http.ts'
import { useApiCache } from '../../../api/queries.ts'
import { setStored } from '../../../lib/browser/browser-storage.ts'
import { t } from '../../../lib/texts/translate.ts'
import { useNow } from '../../../lib/time/use-now.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { SelectField } from '../../../ui/form/select-field.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { useToast } from '../../../ui/toast/toast.tsx'
import { useReportError } from '../use-report-error.ts'
import { zonePlace, zoneRegion, formatTimeIn, listTimeZones } from './time-zones.ts'

export function RestaurantDetails({ settings }: { settings: RestaurantSettings }): JSX.Element {
  const [known, setKnown] = useState(settings)
  const { setData, invalidate } = useApiCache()
  const { toast } = useToast()
  const reportError = useReportError()
  const now = useNow(30_000)
  const form = useForm({
    initial: { restaurantName: known.restaurantName, timeZone: known.timeZone },
    parse: (values) => parse(RestaurantChange, values),
    async submit({ restaurantName, timeZone }, { reset }) {
      // Without a change here, what somebody else has saved meanwhile stays.
      const body = {
        ...(restaurantName !== known.restaurantName && { restaurantName }),
        ...(timeZone !== known.timeZone && { timeZone }),
      }
      const isChanged = Object.keys(body).length > 0
      const saved = isChanged
        ? await call(api.restaurant.change, { body })
        : await call(api.restaurant.settings)
      setKnown(saved)
      toast({ title: t('Success'), description: t('Restaurant saved') })
      reset({ restaurantName: saved.restaurantName, timeZone: saved.timeZone })
      setStored('restaurantId', saved.restaurantName)
      setData(api.restaurant.settings, {}, saved)
      await invalidate(
        api.accounts.currentUser,
        api.accounts.session,
        api.managers.currentUser,
        api.analytics.overview,
      )
    },
    onError: (error) => reportError(error, 'Failed to save the restaurant'),
  })

  return (
    <Card
      title={t('Restaurant')}
      anchor="restaurant"
      description={t('Its name, and where its days begin and end')}
    >
      <form {...form.props} className="flex flex-col gap-4">
        <Field
          label={t('Restaurant Name')}
          autoComplete="off"
          hint={t('Printed codes, links and sign-ins with a former name keep working.')}
          {...form.field('restaurantName')}
        />
        <SelectField
          label={t('Time Zone')}
          hint={t('It is {time} there. “Today” in every figure is that day.', {
            time: formatTimeIn(form.values.timeZone, now),
          })}
          {...form.field('timeZone')}
        >
          <ZoneOptions current={settings.timeZone} />
        </SelectField>
        <div>
          <Button type="submit" variant="primary" pending={form.busy} pendingLabel={t('Saving…')}>
            {t('Save Restaurant')}
          </Button>
        </div>
      </form>
    </Card>
  )
}

function ZoneOptions({ current }: { current: string }): JSX.Element[] {
  const regions = useMemo(() => Object.entries(Object.groupBy(listTimeZones(current), zoneRegion)), [current])
  return regions.map(([region, zones = []]) => (
    <optgroup key={region} label={t(region)}>
      {zones.map((zone) => (
        <option key={zone} value={zone}>
          {zonePlace(zone)}
        </option>
      ))}
    </optgroup>
  ))
}
