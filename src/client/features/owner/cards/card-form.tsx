import type { JSX } from 'react'
import type { Plan, SubscriptionSetup } from '#contract/billing.ts'
import { formatPrice } from '../../../api/prices.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { SpinnerIcon } from '../../../ui/page/spinner.tsx'

export const cardErrorTitle = 'Payment Setup Failed'

/** A failure with its own words for the owner, and the title of their toast. */
export class PaymentError extends Error {
  override name = 'PaymentError'
  readonly title: string

  constructor(message: string, title: string) {
    super(message)
    this.title = title
  }
}

/** A refused card; the message is the provider's. */
export class CardError extends PaymentError {
  override name = 'CardError'

  constructor(message: string) {
    super(message, cardErrorTitle)
  }
}

export type CardFormProps = {
  plan: Plan
  setup: SubscriptionSetup
  paying: boolean
  /** `confirmCard` confirms the card and resolves to the setup intent's id, or throws. */
  onPay: (confirmCard: () => Promise<string>) => void
}

export function PayButton({ plan, paying }: { plan: Plan; paying: boolean }): JSX.Element {
  return (
    <Button type="submit" variant="primary" size={56} wide pending={paying} pendingLabel={t('Processing...')}>
      {t('Subscribe for {price}', { price: formatPrice(plan) })}
    </Button>
  )
}

export function SettingUpCard(): JSX.Element {
  return (
    <Card>
      <p role="status" className="flex items-center justify-center gap-3 py-6 text-lg">
        <SpinnerIcon />
        {t('Setting up your subscription...')}
      </p>
    </Card>
  )
}

/** A setup intent's client secret starts with its id. */
export const setupIntentId = ({ clientSecret }: SubscriptionSetup): string =>
  clientSecret.split('_secret_')[0] ?? ''
