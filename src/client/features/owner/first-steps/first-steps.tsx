import Check from 'lucide-react/icons/check'
import { type JSX, type ReactNode, useEffect, useId, useState } from 'react'
import { Link } from 'wouter'
import { type FirstStep, type FirstSteps as Found, firstSteps } from '#contract/accounts/first-steps.ts'
import { api } from '#contract/api.ts'
import { formatPrice } from '../../../api/prices.ts'
import { useApiCache, useApiMutation, useFreshApiQuery } from '../../../api/queries.ts'
import { useSession } from '../../../api/session.ts'
import { paymentProvider } from '../../../lib/browser/page-settings.ts'
import { plural, t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { LinkButton } from '../../../ui/link-button.tsx'
import { CrewPreview } from './crew-preview.tsx'
import { AssignStep, CodesStep, CrewStep, TablesStep } from './steps.tsx'
import { tryPath } from './try-path.ts'
import { useFinishedSteps } from './use-finished-steps.ts'

type Steps = NonNullable<Found['steps']>

/** What a new owner does next, each step in place or one tap away; gone once done or put away. */
export function FirstSteps(): JSX.Element | null {
  const session = useSession()
  const restaurantName = session.state === 'signed-in' ? session.user.restaurantName : null
  const steps = useFirstSteps(restaurantName !== null)
  const finish = useApiMutation(api.firstSteps.finish, api.firstSteps.list)
  if (restaurantName === null || !steps) return null
  return <Checklist {...{ steps, restaurantName }} onFinish={() => finish.mutate({})} />
}

/** Also what was done elsewhere, as soon as the owner looks here again. */
function useFirstSteps(isOwner: boolean): Steps | null {
  const { data } = useFreshApiQuery(api.firstSteps.list, isOwner ? {} : null)
  const { invalidate } = useApiCache()
  const isShown = Boolean(data?.steps)
  useEffect(() => {
    if (!isShown) return undefined
    const refresh = (): void => {
      if (document.visibilityState === 'visible') void invalidate(api.firstSteps.list)
    }
    document.addEventListener('visibilitychange', refresh)
    addEventListener('focus', refresh)
    return () => {
      document.removeEventListener('visibilitychange', refresh)
      removeEventListener('focus', refresh)
    }
  }, [isShown, invalidate])
  return data?.steps ?? null
}

type ChecklistProps = { steps: Steps; restaurantName: string; onFinish: () => void }

function Checklist({ steps, restaurantName, onFinish }: ChecklistProps): JSX.Element {
  const id = useId()
  /** A step that the owner opened, or is still busy with. */
  const [chosen, setChosen] = useState<FirstStep | null>(null)
  const current = firstSteps.find((step) => !steps.done.includes(step))
  useFinishedSteps(!current)
  const count = { done: steps.done.length, all: firstSteps.length }
  return (
    <section aria-labelledby={id} className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 id={id} className="text-2xl">
          {t(current ? 'Six steps to the first guest' : 'You are ready for guests')}
        </h2>
        <span className="-mx-edge">
          <Button variant="quiet" onClick={onFinish}>
            {t(current ? 'Hide these steps' : 'Done')}
          </Button>
        </span>
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <progress
          aria-labelledby={id}
          value={count.done}
          max={count.all}
          className="h-2 min-w-32 flex-1 appearance-none overflow-hidden rounded-full bg-plate-2 [&::-moz-progress-bar]:bg-done [&::-webkit-progress-bar]:bg-transparent [&::-webkit-progress-value]:bg-done"
        />
        <p role="status" className="text-text-mute">
          {t('{done} of {all} done', count)}
        </p>
      </div>
      <ol className="flex flex-col gap-2">
        {firstSteps.map((step, index) => (
          <Step
            key={step}
            number={index + 1}
            isDone={steps.done.includes(step)}
            isOpen={step === current || step === chosen}
            onOpen={() => setChosen(step)}
            {...describe(step, steps)}
          >
            {step === 'tables' && <TablesStep />}
            {step === 'crew' && <CrewStep onAdding={() => setChosen('crew')} />}
            {step === 'assignments' && (
              <AssignStep day={steps.day} ready={steps.tables > 0 && steps.crew > 0} />
            )}
            {step === 'plan' && <PlanStep />}
            {step === 'codes' && <CodesStep {...{ restaurantName }} isPaid={steps.done.includes('plan')} />}
            {step === 'request' && <GoTo href={tryPath}>{t('Try It Out')}</GoTo>}
          </Step>
        ))}
      </ol>
      {current && <CrewPreview {...steps} />}
    </section>
  )
}

type Description = { title: string; text: string; change: { href: string; label: string } }

function describe(step: FirstStep, { tables, crew, assigned, done }: Steps): Description {
  switch (step) {
    case 'tables':
      return {
        title: t('Tables'),
        text: tables > 0 ? plural(tables, '{count} table', '{count} tables') : t('How many do you have?'),
        change: { href: '/admin-dashboard/floor', label: t('Change') },
      }
    case 'crew':
      return {
        title: t('Crew'),
        text:
          crew > 0
            ? plural(crew, '{count} person', '{count} people')
            : t('Who takes the requests? A first name is enough.'),
        change: { href: '/admin-dashboard/crew', label: t('Change') },
      }
    case 'assignments':
      return {
        title: t('Today’s assignments'),
        text:
          assigned > 0
            ? plural(assigned, '{count} table has somebody', '{count} tables have somebody')
            : t('Whose phone rings first for which table?'),
        change: { href: '/admin-dashboard/floor', label: t('Change') },
      }
    case 'plan':
      return {
        title: t('Plan'),
        text: done.includes('plan')
          ? t(paymentProvider() === 'off' ? 'Included here' : 'Your subscription is active')
          : t('{monthly} or {yearly}', { monthly: formatPrice('monthly'), yearly: formatPrice('yearly') }),
        change: { href: '/subscribe', label: t('See') },
      }
    case 'codes':
      return {
        title: t('Codes'),
        text: t('What guests scan, one card for each table'),
        change: { href: '/admin/cards', label: t('Print') },
      }
    case 'request':
      return {
        title: t('First test request'),
        text: t('Ask as a guest and answer as the crew, side by side'),
        change: { href: tryPath, label: t('Again') },
      }
  }
}

type StepProps = Description & {
  number: number
  isDone: boolean
  isOpen: boolean
  onOpen: () => void
  children: ReactNode
}

function Step({ number, title, text, change, isDone, isOpen, onOpen, children }: StepProps): JSX.Element {
  return (
    <li
      className={classNames(
        'grid grid-cols-1 min-[20rem]:grid-cols-[auto_minmax(0,1fr)] items-start gap-x-3 gap-y-3 rounded-ticket border px-3 py-3 sm:px-4',
        isOpen ? 'border-rule bg-plate' : 'border-transparent',
      )}
    >
      <span
        className={classNames(
          'grid size-9 place-items-center rounded-full font-display text-lg font-bold',
          isDone ? 'bg-done text-ground' : isOpen ? 'bg-text text-ground' : 'border border-rule-strong',
        )}
      >
        {isDone ? <Check aria-hidden size={20} /> : <span aria-hidden>{number}</span>}
        {isDone && <span className="sr-only">{t('Done')}</span>}
      </span>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-[min(10rem,100%)]">
          <h3 className="text-lg leading-tight wrap-anywhere">{title}</h3>
          <p className="text-text-mute wrap-anywhere">{text}</p>
        </div>
        {isDone ? (
          <Link href={change.href} asChild>
            <LinkButton variant="quiet" aria-label={`${change.label}: ${title}`}>
              {change.label}
            </LinkButton>
          </Link>
        ) : (
          !isOpen && (
            <Button
              variant="quiet"
              aria-label={t('Open step {number}: {title}', { number, title })}
              onClick={onOpen}
            >
              {t('Open')}
            </Button>
          )
        )}
      </div>
      {isOpen && (
        <div className="min-[20rem]:col-start-2 flex min-w-0 flex-col items-start gap-3">{children}</div>
      )}
    </li>
  )
}

function PlanStep(): JSX.Element {
  return <GoTo href="/subscribe">{t('Choose a Plan')}</GoTo>
}

function GoTo({ href, children }: { href: string; children: string }): JSX.Element {
  return (
    <Link href={href} asChild>
      <LinkButton variant="primary">{children}</LinkButton>
    </Link>
  )
}
