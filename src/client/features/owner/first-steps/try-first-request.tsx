import './try-first-request.css'
import Check from 'lucide-react/icons/check'
import { type JSX, type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { type FirstSteps, firstSteps } from '#contract/accounts/first-steps.ts'
import { api } from '#contract/api.ts'
import { useConnection, useLiveState } from '../../../api/live/use-live.ts'
import { useWatchedRestaurant } from '../../../api/live/use-watched-restaurant.ts'
import { useApiCache, useFreshApiQuery } from '../../../api/queries.ts'
import { useSession } from '../../../api/session.ts'
import { useOwnerNotices } from '../../../api/use-owner-notices.ts'
import { t } from '../../../lib/texts/translate.ts'
import { LinkButton } from '../../../ui/link-button.tsx'
import { BackLink } from '../../../ui/page/back-link.tsx'
import { OwnerNotices } from '../../../ui/page/owner-notices.tsx'
import { Page } from '../../../ui/page/page.tsx'
import { Spinner } from '../../../ui/page/spinner.tsx'
import { NoTables } from '../no-tables.tsx'
import { followRequests, initialRequests, type Progress, progressOf } from './progress.ts'
import { useFinishedSteps } from './use-finished-steps.ts'

/** A guest's phone and the crew's screen on one page, both the real ones. */
export function TryFirstRequest(): JSX.Element {
  const session = useSession()
  const restaurantName = session.state === 'signed-in' ? (session.user.restaurantName ?? '') : ''
  const { data: tables, isError } = useFreshApiQuery(api.floor.tables, {})
  const steps = useLastSteps()
  const progress = useProgress(restaurantName)
  useSignedOutCheck()
  const { invalidate } = useApiCache()
  // The page that comes next may have read them just before.
  const readAgain = useCallback(() => invalidate(api.firstSteps.list), [invalidate])
  useFinishedSteps(progress === 'answered' && steps?.done.length === firstSteps.length - 1, readAgain)
  const table = steps?.table ?? tables?.[0]?.tableNumber
  const demo = useOwnerNotices().filter(({ id }) => id === 'demo')
  const status = useRef<HTMLParagraphElement>(null)
  const crewScreen = useRef<HTMLElement>(null)
  useShown(progress === 'asked' ? crewScreen : progress === 'answered' ? status : null)
  return (
    <Page
      theme="light"
      title={t('Try a Request')}
      subtitle={t('Ask on one screen as a guest, and answer on the other as the crew.')}
      back={<BackLink href="/dashboard" />}
    >
      <OwnerNotices notices={demo} />
      <p ref={status} role="status" className="flex items-center gap-2 text-lg font-semibold empty:hidden">
        {progress === 'answered' && <Check aria-hidden className="shrink-0 text-done" />}
        {table && t(progressTexts[progress])}
      </p>
      {progress === 'answered' && steps && (
        <div>
          <Link href="/dashboard" asChild>
            <LinkButton variant="primary">{t('Go to your restaurant')}</LinkButton>
          </Link>
        </div>
      )}
      {tables && !table ? (
        <NoTables>{t('Set up your tables first: a guest asks from one of them.')}</NoTables>
      ) : table ? (
        <Screens {...{ restaurantName, table, crewScreen }} />
      ) : isError ? (
        <p className="font-semibold text-late">{t('The tables could not be loaded.')}</p>
      ) : (
        <Spinner />
      )}
    </Page>
  )
}

const progressTexts: Record<Progress, string> = {
  idle: 'Call the waiter on the guest’s phone.',
  asked: 'The crew hears it. Tap “On my way” on the crew’s screen.',
  answered: 'Answered: the guest can read who is on the way.',
}

/** As they were before they were finished. */
function useLastSteps(): FirstSteps['steps'] {
  const { data } = useFreshApiQuery(api.firstSteps.list, {})
  const [steps, setSteps] = useState<FirstSteps['steps']>(null)
  if (data?.steps && data.steps !== steps) setSteps(data.steps)
  return steps
}

function useProgress(restaurantName: string): Progress {
  useWatchedRestaurant(restaurantName)
  return progressOf(useLiveState(followRequests, initialRequests))
}

/** The page around the two screens leaves as well when all logins end, as those of a demo that is over. */
function useSignedOutCheck(): void {
  const { invalidate } = useApiCache()
  const isSignedOut = useConnection().state === 'signed-out'
  useEffect(() => {
    if (isSignedOut) void invalidate(api.accounts.currentUser)
  }, [isSignedOut, invalidate])
}

/** On a phone the two screens are above each other: what comes next is brought into view. */
function useShown(next: RefObject<HTMLElement | null> | null): void {
  useEffect(() => {
    next?.current?.scrollIntoView({ block: 'nearest' })
  }, [next])
}

type ScreensProps = { restaurantName: string; table: string; crewScreen: RefObject<HTMLElement | null> }

function Screens({ restaurantName, table, crewScreen }: ScreensProps): JSX.Element {
  const settings = useFreshApiQuery(api.restaurant.settings, {})
  if (settings.isPending) return <Spinner />
  // With the proof of a code, so that nothing is refused.
  const guestPath = settings.data
    ? settings.data.guestLink
    : `/customer?${new URLSearchParams({ r: restaurantName })}`
  return (
    <div data-theme="dark" className="try-screens">
      <Screen
        title={t('A guest’s phone at table {table}', { table })}
        path={`${guestPath}&${new URLSearchParams({ t: table })}`}
      />
      <Screen ref={crewScreen} title={t('The crew’s screen')} path="/waiter" />
    </div>
  )
}

type ScreenProps = { ref?: RefObject<HTMLElement | null>; title: string; path: string }

function Screen({ ref, title, path }: ScreenProps): JSX.Element {
  return (
    <section ref={ref} aria-label={title} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-x-4">
        <h2 className="text-lg">{title}</h2>
        <a
          href={path}
          target="_blank"
          rel="noreferrer"
          className="inline-flex min-h-11 items-center underline"
        >
          {t('Open in a new tab')}
        </a>
      </div>
      <iframe
        title={title}
        src={path}
        className="w-full flex-1 rounded-primary border border-rule bg-ground"
      />
    </section>
  )
}
