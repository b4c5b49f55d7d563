import type { JSX } from 'react'
import { Link } from 'wouter'
import { RestaurantDeletion, type RestaurantEnding } from '#contract/accounts/restaurants.ts'
import { api } from '#contract/api.ts'
import { parse } from '#contract/parse.ts'
import { call } from '../../../api/http.ts'
import { useApiCache, useApiQuery, useFreshApiQuery } from '../../../api/queries.ts'
import { useFocusOnChange } from '../../../lib/hooks/use-focus-on-change.ts'
import { useTask } from '../../../lib/hooks/use-task.ts'
import { t } from '../../../lib/texts/translate.ts'
import { formatDate, formatTime } from '../../../lib/time/dates.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Dialog } from '../../../ui/dialogs/dialog.tsx'
import { useDialog } from '../../../ui/dialogs/use-dialog.ts'
import { Field } from '../../../ui/form/field.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { LinkButton } from '../../../ui/link-button.tsx'
import { useToast } from '../../../ui/toast/toast.tsx'
import { useReportError } from '../use-report-error.ts'
import { DownloadEverything, type EverythingDownload } from './download-everything.tsx'
import { RemainsText } from './retention-settings.tsx'

type DeleteRestaurantProps = {
  ending: RestaurantEnding
  restaurantName: string
  download: EverythingDownload
}

/** With 30 days in which the owner can change their mind. */
export function DeleteRestaurant({ ending, ...props }: DeleteRestaurantProps): JSX.Element {
  const { eraseAt, isDemo = false } = ending
  const container = useFocusOnChange(eraseAt === null ? 'ask' : 'restore')
  return (
    <div ref={container} tabIndex={-1} className="outline-none">
      <Card
        title={t('Delete the Restaurant')}
        anchor="delete"
        description={
          eraseAt === null
            ? t(
                'Guests and crew cannot use it from then on. You can restore it for 30 days; then everything is erased.',
              )
            : isDemo
              ? t('This is a demo restaurant of your own. It is erased at {time}.', {
                  time: formatTime(eraseAt),
                })
              : t('It is deleted. Everything in it is erased on {day}.', {
                  day: formatDate(eraseAt, { dateStyle: 'long' }),
                })
        }
      >
        {!isDemo && <div>{eraseAt === null ? <Ask {...props} /> : <Restore />}</div>}
      </Card>
    </div>
  )
}

/** What says whether the restaurant is deleted, which may also have changed in another tab. */
function useEnding() {
  const { setData, invalidate } = useApiCache()
  return {
    changed: async (ending: RestaurantEnding): Promise<void> => {
      setData(api.restaurant.ending, {}, ending)
      await invalidate(api.accounts.session)
    },
    reload: () => invalidate(api.restaurant.ending, api.accounts.session),
  }
}

function Ask({ restaurantName, download }: Omit<DeleteRestaurantProps, 'ending'>): JSX.Element {
  const dialog = useDialog()
  const { data: retention } = useApiQuery(api.retention.state, {})
  const { data: subscription } = useFreshApiQuery(api.billing.subscription, dialog.isOpen ? {} : null)
  const isCharged = subscription?.actions.includes('cancel') ?? false
  const { changed, reload } = useEnding()
  const { toast } = useToast()
  const reportError = useReportError()
  const form = useForm({
    initial: { restaurantName: '' },
    parse: (values) => parse(RestaurantDeletion, values),
    async submit(body) {
      const ending = await call(api.restaurant.remove, { body })
      dialog.close()
      toast({ title: t('Restaurant deleted') })
      await changed(ending)
    },
    onError(error) {
      reportError(error, 'Failed to delete the restaurant')
      void reload()
    },
  })
  return (
    <Dialog
      title={t('Delete {restaurant}?', { restaurant: restaurantName })}
      description={t(
        'Everybody but you is signed out at once, and the printed codes lead nowhere. To confirm, type the name of the restaurant.',
      )}
      {...dialog.props}
      trigger={<Button variant="danger">{t('Delete Restaurant')}</Button>}
    >
      {isCharged ? (
        <CancelFirst />
      ) : (
        <form {...form.props} className="flex flex-col items-start gap-4">
          {retention && <RemainsText remains={retention.remains} />}
          <p className="text-text-mute">
            {t('Would you like to keep what is in it? Download it first, as one file.')}
          </p>
          <DownloadEverything {...download} />
          <div className="w-full">
            <Field label={t('Restaurant Name')} autoComplete="off" {...form.field('restaurantName')} />
          </div>
          <Button type="submit" variant="danger" pending={form.busy} pendingLabel={t('Deleting…')}>
            {t('Delete It')}
          </Button>
        </form>
      )}
    </Dialog>
  )
}

function CancelFirst(): JSX.Element {
  return (
    <>
      <p className="font-semibold">
        {t('Please cancel your subscription first, so that nothing more is charged')}
      </p>
      <Link href="/subscribe" asChild>
        <LinkButton variant="primary">{t('Manage Subscription')}</LinkButton>
      </Link>
    </>
  )
}

function Restore(): JSX.Element {
  const [busy, run] = useTask()
  const { changed, reload } = useEnding()
  const { toast } = useToast()
  const reportError = useReportError()

  async function restore(): Promise<void> {
    try {
      const ending = await call(api.restaurant.restore)
      toast({ title: t('Restaurant restored') })
      await changed(ending)
    } catch (error) {
      reportError(error, 'Failed to restore the restaurant')
      await reload()
    }
  }

  return (
    <Button variant="primary" pending={busy} onClick={() => void run(restore)}>
      {t('Restore Restaurant')}
    </Button>
  )
}
