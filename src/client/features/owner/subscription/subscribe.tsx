import ArrowLeft from 'lucide-react/icons/arrow-left'
import { type JSX, type ReactNode, Suspense, useLayoutEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { api } from '#contract/api.ts'
import { type PaymentConfig, type Plan, type Subscription, subscriptionNotices } from '#contract/billing.ts'
import { call, errorMessage } from '../../../api/http.ts'
import { formatPrice, planTitles } from '../../../api/prices.ts'
import { useFreshApiQuery, useApiCache } from '../../../api/queries.ts'
import { useSession } from '../../../api/session.ts'
import { useIsDeleted } from '../../../api/use-is-deleted.ts'
import { paymentProvider } from '../../../lib/browser/page-settings.ts'
import { lazyPage } from '../../../lib/hooks/lazy.tsx'
import { useCloseOnBack } from '../../../lib/hooks/use-close-on-back.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx'
import { useDialog } from '../../../ui/dialogs/use-dialog.ts'
import { LinkButton } from '../../../ui/link-button.tsx'
import { LoadError } from '../../../ui/page/load-error.tsx'
import { Notice } from '../../../ui/page/notice.tsx'
import { Page } from '../../../ui/page/page.tsx'
import { Spinner } from '../../../ui/page/spinner.tsx'
import { useToast } from '../../../ui/toast/toast.tsx'
import { type CardFormProps, SettingUpCard } from '../cards/card-form.tsx'
import { useSignInRedirect, useSignInRedirectOn } from '../use-sign-in-redirect.ts'
import { PlanCards } from './plan-cards.tsx'
import { chooseLabels, paymentTerms, paymentTitles, sandboxBanner } from './plan-texts.ts'
import { SandboxPayment } from './sandbox-payment.tsx'
import { SubscriptionCard, useManageSubscription } from './subscription-card.tsx'
import { useSubscribe } from './use-subscribe.ts'

/** Loaded only where Stripe takes the payments. */
const StripePayment = lazyPage(async () => (await import('./stripe-payment.tsx')).StripePayment)

export function Subscribe(): JSX.Element {
  const session = useSession()
  return session.state === 'signed-in' ? <OwnSubscription /> : <PlansOnly />
}

type SubscribePageProps = { title?: string; skip?: boolean; banner?: ReactNode; children: ReactNode }

function SubscribePage({
  title = t('Choose Your Plan'),
  skip = true,
  banner,
  children,
}: SubscribePageProps): JSX.Element {
  const [, navigate] = useLocation()
  return (
    <Page
      theme="light"
      title={title}
      width="medium"
      banner={banner}
      back={
        <Button
          variant="quiet"
          icon={<ArrowLeft aria-hidden className="rtl:rotate-180" />}
          // In a new tab there is no history to go back to.
          onClick={() => (history.length > 1 ? history.back() : navigate('/dashboard'))}
        >
          {t('Back')}
        </Button>
      }
      actions={
        <div className="-me-edge">
          <Link href="/dashboard" asChild>
            <LinkButton variant="quiet">{t(skip ? 'Skip for now' : 'Dashboard')}</LinkButton>
          </Link>
        </div>
      }
    >
      {children}
    </Page>
  )
}

/** The plans for visitors who are not signed in. */
function PlansOnly(): JSX.Element {
  const redirectToSignIn = useSignInRedirect()
  if (paymentProvider() === 'off') return <NoPlans />
  return (
    <SubscribePage banner={paymentProvider() === 'sandbox' && t(sandboxBanner)}>
      <ChoosePlan onChoose={redirectToSignIn} />
    </SubscribePage>
  )
}

function OwnSubscription(): JSX.Element {
  const config = useFreshApiQuery(api.billing.config, {})
  // After a visit to the billing portal, the owner may be back before the webhook has arrived.
  const subscription = useFreshApiQuery(api.billing.subscription, { query: { fresh: 'true' } })
  const { invalidate } = useApiCache()
  const error = config.error ?? subscription.error
  const signedOut = useSignInRedirectOn(error)
  if (config.data && subscription.data)
    return <Billing config={config.data} subscription={subscription.data} />
  return (
    <SubscribePage>
      {error && !signedOut ? (
        <LoadError
          message={errorMessage(error, 'The subscription could not be loaded.')}
          onRetry={() => invalidate(api.billing.config, api.billing.subscription)}
        />
      ) : (
        <Spinner />
      )}
    </SubscribePage>
  )
}

type BillingProps = { config: PaymentConfig; subscription: Subscription }

function Billing({ config, subscription }: BillingProps): JSX.Element {
  const { provider, publishableKey } = config
  const { flow, choose, reportFormUnavailable, pay, finish, backToPlans } = useSubscribe(publishableKey)
  const { actions, notice, unfinished } = subscription
  const maySubscribe = actions.includes('subscribe')
  const mayChange = actions.includes('change-plan')
  // The page's notice has the way to restore it.
  const isDeleted = useIsDeleted()
  const isNotSold = actions.length === 0
  const [isBack, setIsBack] = useState(false)
  const leavePayment = (): void => {
    setIsBack(true)
    backToPlans()
  }
  useCloseOnBack(flow.step === 'payment' || flow.step === 'paying', () => {
    if (flow.step === 'payment') leavePayment()
  })

  if (provider === 'off') return <NoPlans />

  const whyNotSold = (
    <p className="font-semibold">
      {t(
        isDeleted
          ? 'Your restaurant is deleted. Please restore it first.'
          : 'This is a demo, which is erased soon. Nothing can be bought for it.',
      )}
    </p>
  )

  function renderPlans(): JSX.Element {
    return (
      <>
        {notice && !isDeleted && (
          <Notice
            action={
              unfinished && <Button onClick={() => void finish(unfinished)}>{t('Confirm Payment')}</Button>
            }
          >
            {t(subscriptionNotices[notice])}
          </Notice>
        )}
        {actions.includes('portal') && <SubscriptionCard subscription={subscription} />}
        {mayChange && <ChangePlan subscription={subscription} />}
        {maySubscribe && <ChoosePlan focused={isBack} onChoose={(plan) => void choose(plan)} />}
        {isNotSold && <PlanCards actions={{ monthly: whyNotSold, yearly: whyNotSold }} />}
      </>
    )
  }

  return (
    <SubscribePage
      title={t(maySubscribe || mayChange || isNotSold ? 'Choose Your Plan' : 'Your Subscription')}
      skip={maySubscribe}
      banner={provider === 'sandbox' && t(sandboxBanner)}
    >
      {'checking' in flow && flow.checking && (
        <Notice urgent>
          {t(
            'The connection broke, so it is not known yet whether your payment went through. You are not charged twice: this page asks again until it knows.',
          )}
        </Notice>
      )}
      {flow.step === 'plans' && renderPlans()}
      {(flow.step === 'starting' || flow.step === 'finishing') && <SettingUpCard />}
      {(flow.step === 'payment' || flow.step === 'paying') && (
        <PaymentCard plan={flow.plan} paying={flow.step === 'paying'} onBack={leavePayment}>
          <PaymentForm
            plan={flow.plan}
            setup={flow.setup}
            paying={flow.step === 'paying'}
            onPay={(confirmCard) => void pay(flow.setup, confirmCard)}
            {...{ publishableKey, onUnavailable: reportFormUnavailable }}
          />
        </PaymentCard>
      )}
    </SubscribePage>
  )
}

type ChoosePlanProps = { focused?: boolean; onChoose: (plan: Plan) => void }

function ChoosePlan({ focused = false, onChoose }: ChoosePlanProps): JSX.Element {
  const choose = (plan: Plan): JSX.Element => (
    <Button variant="primary" wide onClick={() => onChoose(plan)}>
      {t(chooseLabels[plan])}
    </Button>
  )
  return <PlanCards focused={focused} actions={{ monthly: choose('monthly'), yearly: choose('yearly') }} />
}

type PaymentFormProps = CardFormProps & { publishableKey: string | null; onUnavailable: () => void }

function PaymentForm({ publishableKey, onUnavailable, ...form }: PaymentFormProps): JSX.Element {
  if (publishableKey === null) return <SandboxPayment {...form} />
  return (
    <Suspense fallback={<SettingUpCard />}>
      <StripePayment {...form} publishableKey={publishableKey} onUnavailable={onUnavailable} />
    </Suspense>
  )
}

type PaymentCardProps = { plan: Plan; paying: boolean; onBack: () => void; children: ReactNode }

function PaymentCard({ plan, paying, onBack, children }: PaymentCardProps): JSX.Element {
  const card = useRef<HTMLDivElement>(null)
  // Before paint, so that keystrokes right after the change go to the card.
  useLayoutEffect(() => {
    card.current?.focus({ preventScroll: true })
    document.documentElement.scrollTop = 0
  }, [])
  return (
    <div ref={card} tabIndex={-1} className="mx-auto w-full max-w-xl outline-none">
      <Card
        title={t(paymentTitles[plan])}
        description={paymentTerms(plan)}
        action={
          <Button disabled={paying} onClick={onBack}>
            {t('Back to Plans')}
          </Button>
        }
      >
        {children}
      </Card>
    </div>
  )
}

/** A change to the yearly plan is charged at once; a change to the monthly plan waits for the end of the year. */
function ChangePlan({ subscription: { plan, nextPlan } }: { subscription: Subscription }): JSX.Element {
  const { running, run } = useManageSubscription()
  const question = useDialog()
  const container = useRef<HTMLDivElement>(null)
  const confirmed = useRef(false)
  const { toast } = useToast()

  async function change(planType: Plan): Promise<void> {
    const done = await run(
      planType,
      () => call(api.billing.changePlan, { body: { planType } }),
      (after) => (after.nextPlan ?? after.plan) === planType,
    )
    confirmed.current = done
    question.close()
    if (done) toast({ title: changeText(planType) })
  }

  function changeText(to: Plan): string {
    if (to === plan) return t('You keep the {plan}', { plan: t(planTitles[to]) })
    return t(
      to === 'yearly'
        ? 'You are on the Yearly Plan now'
        : 'You change to the Monthly Plan when the year is over',
    )
  }

  function renderAction(offered: Plan): ReactNode {
    if (offered === (nextPlan ?? plan)) return null
    const label = t(offered === plan ? 'Keep {plan}' : 'Switch to {plan}', { plan: t(planTitles[offered]) })
    const charged = offered === 'yearly' && plan === 'monthly'
    return (
      <Button
        wide
        pending={running === offered}
        disabled={running !== null}
        onClick={() => {
          if (!charged) return void change(offered)
          confirmed.current = false
          question.open()
        }}
      >
        {label}
      </Button>
    )
  }

  return (
    <>
      <PlanCards
        container={container}
        current={plan}
        actions={{ monthly: renderAction('monthly'), yearly: renderAction('yearly') }}
      />
      <ConfirmDialog
        title={t('Switch to the Yearly Plan?')}
        description={t('You are charged {price} now, less what is left of the month you have paid for.', {
          price: formatPrice('yearly'),
        })}
        open={question.isOpen}
        cancelLabel={t('Not now')}
        confirmLabel={t('Switch to {plan}', { plan: t(planTitles.yearly) })}
        pending={running !== null}
        locked
        onConfirm={() => void change('yearly')}
        onCancel={question.close}
        // The button that opened the dialog disappears with the change.
        finalFocus={() => (confirmed.current ? container.current : null)}
      />
    </>
  )
}

/** Shown where the installation takes no payments. */
function NoPlans(): JSX.Element {
  return (
    <SubscribePage title={t('Subscription')} skip={false}>
      <Card>
        <p>{t('Everything is included here: this installation takes no payments.')}</p>
      </Card>
    </SubscribePage>
  )
}
