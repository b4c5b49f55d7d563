import { type JSX, useState } from 'react'
import { api } from '#contract/api.ts'
import {
  type SandboxSetup,
  type TestCard,
  testCardOf,
  testCards,
  testCardsOnlyMessage,
} from '#contract/billing.ts'
import { call } from '../../../api/http.ts'
import { t } from '../../../lib/texts/translate.ts'
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx'
import { Checkbox } from '../../../ui/form/checkbox.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { type FieldErrors, type Parsed, useForm } from '../../../ui/form/use-form.ts'
import { cardErrorTitle, type CardFormProps, PayButton, setupIntentId } from '../cards/card-form.tsx'
import { cvcError, expiryError, formatCardNumber, formatExpiry, futureExpiry } from '../cards/card-input.ts'

type CardFields = Record<'number' | 'expiry' | 'cvc', string>
type BankStep = 'approve' | 'decline'

const emptyCard: CardFields = { number: '', expiry: '', cvc: '' }

const testCardOutcomes: [card: TestCard, text: string][] = [
  ['ok', 'Succeeds'],
  ['declined', 'Is declined'],
  ['insufficient', 'Has insufficient funds'],
  ['sca', 'Asks for your bank’s approval'],
  ['charge_fails', 'Is taken, but the first charge fails'],
]

/** The sandbox card form. Nobody is charged; only the name of a test card is sent to the server. */
export function SandboxPayment({ plan, setup, paying, onPay }: CardFormProps): JSX.Element {
  const [renewalsFail, setRenewalsFail] = useState(false)
  const bank = useBankDialog()
  const form = useForm({
    initial: emptyCard,
    parse: parseCard,
    submit: (card) => onPay(() => confirmCard(card === 'ok' && renewalsFail ? 'renew_fails' : card)),
    inline: true,
  })

  const cardField = (name: keyof CardFields, format: (text: string) => string) => {
    const { values, setValues } = form
    return {
      ...form.field(name),
      inputMode: 'numeric' as const,
      // Cards saved in the browser are real ones.
      autoComplete: 'off',
      disabled: paying,
      onBlur: () => setValues({ ...values, [name]: format(values[name]) }),
      onChange({ target }: { target: HTMLInputElement }) {
        const atEnd = target.selectionStart === target.value.length
        // Formatting in the middle of the text would move the caret, and would bring back a deleted slash.
        const formats = atEnd && target.value.length > values[name].length
        setValues({ ...values, [name]: formats ? format(target.value) : target.value })
      },
    }
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
    <form {...form.props} className="flex flex-col gap-4">
      <Field
        label={t('Card number')}
        placeholder="4242 4242 4242 4242"
        {...cardField('number', formatCardNumber)}
      />
      <div className="grid grid-cols-[repeat(auto-fit,minmax(min(8.5rem,100%),1fr))] items-start gap-4">
        <Field label={t('Expiry')} placeholder={t('MM/YY')} {...cardField('expiry', formatExpiry)} />
        <Field label={t('CVC')} placeholder="123" maxLength={4} {...cardField('cvc', (text) => text)} />
      </div>
      <TestCards
        disabled={paying}
        onUse={(number) => form.reset({ number, expiry: futureExpiry(), cvc: '123' })}
      />
      <Checkbox
        label={t('Let every renewal fail')}
        checked={renewalsFail}
        disabled={paying}
        onChange={({ target }) => setRenewalsFail(target.checked)}
      />
      <PayButton {...{ plan, paying }} />
      <ConfirmDialog
        title={t('Your bank asks')}
        description={t('Do you approve this card for your subscription? The sandbox plays the bank’s part.')}
        open={bank.isAsking}
        cancelLabel={t('Decline')}
        confirmLabel={t('Approve')}
        onConfirm={() => bank.answer('approve')}
        onCancel={() => bank.answer('decline')}
      />
    </form>
  )
}

/** Marks every wrong field; only the number of a card that is not a test card also gets a toast. */
function parseCard({ number, expiry, cvc }: CardFields): Parsed<TestCard> {
  const card = testCardOf(number)
  const isEmpty = number.trim() === ''
  const errors: FieldErrors = {
    number: card ? undefined : isEmpty ? 'Please enter the card number' : testCardsOnlyMessage,
    expiry: expiryError(expiry) ?? undefined,
    cvc: cvcError(cvc) ?? undefined,
  }
  const [field, message] = Object.entries(errors).find(([, error]) => error !== undefined) ?? []
  if (card && message === undefined) return { ok: true, value: card }
  return {
    ok: false,
    field,
    message: message ?? '',
    errors,
    ...(!card && !isEmpty && { title: cardErrorTitle }),
  }
}

function TestCards({ disabled, onUse }: { disabled: boolean; onUse: (number: string) => void }): JSX.Element {
  return (
    <fieldset disabled={disabled} className="min-w-0 rounded-control border border-rule px-2 pb-2 sm:px-4">
      <legend className="px-2 font-semibold">{t('Test cards')}</legend>
      <p className="px-2 text-text-mute">{t(testCardsOnlyMessage)}.</p>
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
                <span className="font-semibold">{number}</span>
                <span className="text-text-mute">{t(text)}</span>
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
    isAsking: resolve !== null,
    ask: () => new Promise<BankStep>((newResolve) => setResolve(() => newResolve)),
    answer(step: BankStep): void {
      resolve?.(step)
      setResolve(null)
    },
  }
}
