import './plan-cards.css'
import Check from 'lucide-react/icons/check'
import { type JSX, type ReactNode, type RefObject, useLayoutEffect, useRef } from 'react'
import { type Plan, plans } from '#contract/billing.ts'
import { formatMoney, priceTexts, planTitles } from '../../../api/prices.ts'
import { tRich } from '../../../lib/texts/translate-rich.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Card } from '../../../ui/card.tsx'
import { planFeatures, yearlyByMonth } from './plan-texts.ts'

type PlanCardsProps = {
  actions: Record<Plan, ReactNode>
  current?: Plan | null
  /** Takes the focus on mount, because the pressed control is gone. */
  focused?: boolean
  container?: RefObject<HTMLDivElement | null>
}

export function PlanCards(props: PlanCardsProps): JSX.Element {
  const { actions, current = null, focused = false } = props
  const own = useRef<HTMLDivElement>(null)
  const cards = props.container ?? own
  useLayoutEffect(() => {
    if (focused) cards.current?.focus()
  }, [focused, cards])
  return (
    <div ref={cards} tabIndex={-1} className="plan-cards">
      <PlanCard plan="monthly" action={actions.monthly} current={current} />
      <PlanCard plan="yearly" action={actions.yearly} current={current} />
    </div>
  )
}

type PlanCardProps = { plan: Plan; action: ReactNode; current: Plan | null }

function PlanCard({ plan, action, current }: PlanCardProps): JSX.Element {
  return (
    <Card
      title={t(planTitles[plan])}
      action={
        <>
          {plan === 'yearly' && <Badge tone="done">{t('1 Month Free')}</Badge>}
          {plan === current && <Badge tone="outline">{t('Your plan')}</Badge>}
        </>
      }
    >
      <div>
        <p className="text-xl text-text-mute">
          {tRich(priceTexts[plan], {
            price: (
              <>
                <span className="font-display text-3xl font-bold text-text">
                  {formatMoney(plans[plan].amount)}
                </span>
                <wbr />
              </>
            ),
          })}
        </p>
        {plan === 'yearly' && <p className="text-text-mute">({yearlyByMonth()})</p>}
      </div>
      <ul className="flex flex-col gap-2">
        {planFeatures[plan].map((feature) => (
          <li key={feature} className="flex items-start gap-2">
            <Check aria-hidden size={20} className="mt-0.5 shrink-0 text-done" />
            {t(feature)}
          </li>
        ))}
      </ul>
      {action && <div className="mt-auto pt-2">{action}</div>}
    </Card>
  )
}
