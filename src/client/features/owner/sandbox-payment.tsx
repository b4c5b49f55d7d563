import { type JSX, type SubmitEvent, useRef, useState } from 'react'
import { api } from '#contract/api.ts'
import {
  type SandboxSetup,
  type TestCard,
  testCardOf,
  testCards,
  testCardsOnlyMessage,
} from '#contract/billing.ts'
import { call } from '../../api/http.ts'
import { focusField } from '../../lib/focus-field.ts'
import { Checkbox } from '../../ui/form/checkbox.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Field } from '../../ui/form/field.tsx'
import { CardError, type CardFormProps, PayButton, setupIntentId } from './card-form.tsx'
import { cvcError, expiryError, formatCardNumber, formatExpiry } from './card-input.ts'

type CardFields = { number: string; expiry: string; cvc: string }
type CardErrors = { [name in keyof CardFields]?: string | null }
type BankStep = 'approve' | 'decline'

const testCardOutcomes: [card: TestCard, text: string][] = [
  ['ok', 'Succeeds'],
  ['declined', 'Is declined'],
  ['insufficient', 'Has insufficient funds'],
  ['sca', 'Asks for your bank’s approval'],
  ['charge_fails', 'Is taken, but the first charge fails'],
]

/** The sandbox card form. Nobody is charged; only the name of a test card is sent to the server. */
export function SandboxPayment({ plan, setup, paying, onPay }: CardFormProps): JSX.Element {
  const form = useRef<HTMLFormElement>(null)
  const [typed, setTyped] = useState<CardFields>({ number: '', expiry: '', cvc: '' })
  const [problems, setProblems] = useState<CardErrors>({})
  const [renewalsFail, setRenewalsFail] = useState(false)
  const bank = useBankDialog()

  const field = (name: keyof CardFields, label: string, tidy: (text: string) => string) => ({
    name,
    label,
    value: typed[name],
    error: problems[name],
    inputMode: 'numeric' as const,
    // Cards saved in the browser are real ones.
    autoComplete: 'off',
    disabled: paying,
    onBlur: () => setTyped((now) => ({ ...now, [name]: tidy(now[name]) })),
    onChange({ target }: { target: HTMLInputElement }) {
      const atEnd = target.selectionStart === target.value.length
      // Formatting in the middle of the text would move the caret, and would bring back a deleted slash.
      const tidied = atEnd && target.value.length > typed[name].length ? tidy(target.value) : target.value
      setTyped({ ...typed, [name]: tidied })
      setProblems({ ...problems, [name]: null })
    },
  })

  function submit(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault()
    if (paying) return
    const card = testCardOf(typed.number)
    const found: CardErrors = {
      number: card ? null : testCardsOnlyMessage,
      expiry: expiryError(typed.expiry),
      cvc: cvcError(typed.cvc),
    }
    setProblems(found)
    const [wrong] = Object.entries(found).find(([, problem]) => problem !== null) ?? []
    if (wrong !== undefined) focusField(form.current, wrong)
    if (!card) return onPay(rejectCard)
    if (wrong === undefined) onPay(() => confirmCard(card === 'ok' && renewalsFail ? 'renew_fails' : card))
  }

  async function confirmCard(testCard: TestCard): Promise<string> {
    const id = setupIntentId(setup)
    const confirm = (bankStep?: BankStep): Promise<SandboxSetup> =>
      call(api.billing.confirmSandboxSetup, {
        params: { id },
        body: { clientSecret: setup.clientSecret, testCard, ...(bankStep && { bankStep }) },
      })
    const { status } = await confirm()
    if (status === 'requires_action') await confirm(await bank.ask())
    return id
  }

  return (
    <form ref={form} noValidate onSubmit={submit} className="flex flex-col gap-4">
      <Field {...field('number', 'Card number', formatCardNumber)} placeholder="4242 4242 4242 4242" />
      <div className="grid grid-cols-2 items-start gap-4">
        <Field {...field('expiry', 'Expiry', formatExpiry)} placeholder="MM/YY" />
        <Field {...field('cvc', 'CVC', (text) => text)} placeholder="123" maxLength={4} />
      </div>
      <TestCards
        disabled={paying}
        onUse={(number) => {
          setTyped({ number, expiry: '12/34', cvc: '123' })
          setProblems({})
        }}
      />
      <Checkbox
        label="Let every renewal fail"
        checked={renewalsFail}
        disabled={paying}
        onChange={({ target }) => setRenewalsFail(target.checked)}
      />
      <PayButton {...{ plan, paying }} />
      <ConfirmDialog
        title="Your bank asks"
        description="Do you approve this card for your subscription? The sandbox plays the bank’s part."
        open={bank.asks}
        cancelLabel="Decline"
        confirmLabel="Approve"
        onConfirm={() => bank.answer('approve')}
        onCancel={() => bank.answer('decline')}
      />
    </form>
  )
}

const rejectCard = (): Promise<string> => Promise.reject(new CardError(testCardsOnlyMessage))

function TestCards({ disabled, onUse }: { disabled: boolean; onUse: (number: string) => void }): JSX.Element {
  return (
    <fieldset disabled={disabled} className="min-w-0 rounded-control border border-rule px-2 pb-2 sm:px-4">
      <legend className="px-2 font-semibold">Test cards</legend>
      <p className="px-2 text-text-mute">{testCardsOnlyMessage}.</p>
      <ul>
        {testCardOutcomes.map(([card, text]) => {
          const number = formatCardNumber(testCards[card] ?? '')
          return (
            <li key={card}>
              <button
                type="button"
                onClick={() => onUse(number)}
                className="flex min-h-11 w-full flex-wrap items-center gap-x-4 rounded-control px-2 py-2 text-start hover:not-disabled:bg-plate-2"
              >
                <span className="font-semibold whitespace-nowrap">{number}</span>
                <span className="text-text-mute">{text}</span>
              </button>
            </li>
          )
        })}
      </ul>
    </fieldset>
  )
}

/** Asks for approval in a dialog; closing it counts as a refusal. */
function useBankDialog() {
  const [resolve, setResolve] = useState<((step: BankStep) => void) | null>(null)
  return {
    asks: resolve !== null,
    ask: () => new Promise<BankStep>((answered) => setResolve(() => answered)),
    answer(step: BankStep): void {
      resolve?.(step)
      setResolve(null)
    },
  }
}
