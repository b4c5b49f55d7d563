import { Elements, PaymentElement, useElements, useStripe } from '@stripe/react-stripe-js'
import type { Stripe, StripeElementsOptions } from '@stripe/stripe-js'
import { type JSX, type SubmitEvent, useEffect, useState } from 'react'
import { CardProblem, type CardFormProps, PayButton, SettingUp } from './card-form.tsx'
import { notConfirmed, stripeJs } from './stripe-js.ts'

type StripePaymentProps = CardFormProps & {
  publishableKey: string
  /** Stripe's script or its form could not be had. */
  onUnavailable: () => void
}

/** The look of the light ground: Stripe's frames know neither our custom properties nor our fonts. */
const appearance: NonNullable<StripeElementsOptions['appearance']> = {
  variables: {
    colorPrimary: '#914620',
    colorBackground: '#fffdfb',
    colorText: '#29201a',
    colorDanger: '#bd2912',
    borderRadius: '12px',
    fontSizeBase: '16px',
    spacingUnit: '4px',
  },
}

/** Stripe's card form. Card data goes from its frames to Stripe and never through our page. */
export function StripePayment({ publishableKey, onUnavailable, ...rest }: StripePaymentProps): JSX.Element {
  const [stripe, setStripe] = useState<Stripe | null>(null)
  const { clientSecret } = rest.setup
  const [options] = useState<StripeElementsOptions>({ clientSecret, appearance })
  useEffect(() => {
    let shown = true
    stripeJs(publishableKey).then(
      (loaded) => shown && setStripe(loaded),
      () => shown && onUnavailable(),
    )
    return () => {
      shown = false
    }
  }, [publishableKey, onUnavailable])
  if (!stripe) return <SettingUp />
  return (
    <Elements stripe={stripe} options={options}>
      <Form {...rest} onUnavailable={onUnavailable} />
    </Elements>
  )
}

function Form(props: Omit<StripePaymentProps, 'publishableKey'>): JSX.Element {
  const { plan, setup, paying, onPay, onUnavailable } = props
  const stripe = useStripe()
  const elements = useElements()
  const [ready, setReady] = useState(false)

  function submit(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault()
    if (!paying && ready) onPay(confirmCard)
  }

  async function confirmCard(): Promise<string> {
    if (!stripe || !elements) throw new CardProblem(notConfirmed)
    const { error, setupIntent } = await stripe.confirmSetup({
      elements,
      // A bank may lead back to another tab, so the address carries what has to be known there.
      confirmParams: { return_url: `${location.origin}/subscribe?price=${setup.priceId}` },
      redirect: 'if_required',
    })
    if (setupIntent) return setupIntent.id
    // It was put in before, and what came after it failed.
    if (error.setup_intent?.status === 'succeeded') return error.setup_intent.id
    throw new CardProblem(error.message ?? notConfirmed)
  }

  return (
    <form onSubmit={submit} className="flex flex-col gap-6">
      <PaymentElement onReady={() => setReady(true)} onLoadError={onUnavailable} />
      {ready && <PayButton {...{ plan, paying }} />}
    </form>
  )
}
