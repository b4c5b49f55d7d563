import { Elements, PaymentElement, useElements, useStripe } from '@stripe/react-stripe-js'
import type { Stripe, StripeElementsOptions } from '@stripe/stripe-js'
import { type JSX, type SubmitEvent, useEffect, useState } from 'react'
import { CardError, type CardFormProps, PayButton, SettingUpCard } from '../cards/card-form.tsx'
import { notConfirmedText, loadStripeOnce } from './load-stripe.ts'

type StripePaymentProps = CardFormProps & {
  publishableKey: string
  /** Called when Stripe's script or form cannot be loaded. */
  onUnavailable: () => void
}

/** Copies the light theme: our custom properties and fonts do not reach into Stripe's frames. */
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
    loadStripeOnce(publishableKey).then(
      (loaded) => shown && setStripe(loaded),
      () => shown && onUnavailable(),
    )
    return () => {
      shown = false
    }
  }, [publishableKey, onUnavailable])
  if (!stripe) return <SettingUpCard />
  return (
    <Elements stripe={stripe} options={options}>
      <StripeForm {...rest} onUnavailable={onUnavailable} />
    </Elements>
  )
}

function StripeForm(props: Omit<StripePaymentProps, 'publishableKey'>): JSX.Element {
  const { plan, setup, paying, onPay, onUnavailable } = props
  const stripe = useStripe()
  const elements = useElements()
  const [ready, setReady] = useState(false)

  function submit(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault()
    if (!paying && ready) onPay(confirmCard)
  }

  async function confirmCard(): Promise<string> {
    if (!stripe || !elements) throw new CardError(notConfirmedText)
    const { error, setupIntent } = await stripe.confirmSetup({
      elements,
      // A bank may redirect to another tab, so the address carries the state needed there.
      confirmParams: { return_url: `${location.origin}/subscribe?price=${setup.priceId}` },
      redirect: 'if_required',
    })
    if (setupIntent) return setupIntent.id
    // The card was confirmed earlier, and a later step failed.
    if (error.setup_intent?.status === 'succeeded') return error.setup_intent.id
    throw new CardError(error.message ?? notConfirmedText)
  }

  return (
    <form onSubmit={submit} className="flex flex-col gap-6">
      <PaymentElement onReady={() => setReady(true)} onLoadError={onUnavailable} />
      {ready && <PayButton {...{ plan, paying }} />}
    </form>
  )
}
