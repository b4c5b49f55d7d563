import { type JSX, type RefObject, type SubmitEvent, useEffect, useRef, useState } from 'react'
import { useTask } from '../../../lib/hooks/use-task.ts'
import { t } from '../../../lib/texts/translate.ts'
import { languageInAddress } from '../language.ts'
import { LanguageField } from './place-fields.tsx'
import { StepTitle } from './step-title.tsx'

type TableEntryValues = { restaurantId: string; tableNumber: string }
type TableEntryProps = {
  /** Null: the guest is asked for it. */
  restaurantId: string | null
  /** The initial values of the fields. */
  entered: TableEntryValues
  k: string | null
  /** The table that was not theirs. */
  from: string | undefined
  problem: string | null
  takesFocus: boolean
  onContinue: (entered: TableEntryValues) => Promise<void>
  /** Undefined when the link already names the restaurant. */
  onBack: (() => void) | undefined
}

export function TableEntry(props: TableEntryProps): JSX.Element {
  const { restaurantId, entered, k, from, problem, takesFocus, onContinue, onBack } = props
  const form = useRef<HTMLFormElement>(null)
  const { filled, check } = useFilled(form)
  const [pending, run] = useTask()
  const number = useRef<HTMLInputElement>(null)
  const [focusOnMount] = useState(takesFocus)
  useEffect(() => {
    if (focusOnMount) number.current?.focus()
  }, [focusOnMount])

  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    void run(() => onContinue(readValues(form.current)))
  }

  return (
    <main>
      <StepTitle takesFocus={false}>{t(from === undefined ? 'Welcome!' : 'Not your table?')}</StepTitle>
      {from === undefined && <p className="lead">{t('Enter your information to get started')}</p>}
      <form
        ref={form}
        className="low"
        method={from === undefined ? undefined : 'post'}
        action="/customer"
        onInput={check}
        onSubmit={submit}
      >
        {from !== undefined && (
          <>
            <input type="hidden" name="action" value="correct" />
            <input type="hidden" name="from" value={from} />
          </>
        )}
        {problem !== null && (
          <p role="alert" className="problem" id="problem">
            {problem}
          </p>
        )}
        {restaurantId === null ? (
          <label>
            {t('Restaurant Name')}
            <input
              name="r"
              dir="auto"
              required
              defaultValue={entered.restaurantId}
              aria-describedby="restaurant-hint"
            />
            <small id="restaurant-hint">{t(`Use "default" if you're unsure`)}</small>
          </label>
        ) : (
          <input type="hidden" name="r" value={restaurantId} />
        )}
        {k !== null && <input type="hidden" name="k" value={k} />}
        <LanguageField />
        <label>
          {t('Table Number')}
          <input
            ref={number}
            name="t"
            dir="auto"
            required
            autoFocus
            autoComplete="off"
            placeholder={t('Table Number or Name')}
            defaultValue={entered.tableNumber}
            aria-describedby={problem === null ? undefined : 'problem'}
            aria-invalid={problem === null ? undefined : true}
          />
        </label>
        {onBack && (
          <button type="button" className="outline js-only" onClick={onBack}>
            {t('Scan QR Code')}
          </button>
        )}
        <button className="primary" disabled={filled === false || pending} aria-busy={pending || undefined}>
          {t('Continue')}
        </button>
      </form>
      {from !== undefined && restaurantId !== null && (
        <nav>
          <a href={tableUrl(restaurantId, from, k)}>{t('Back')}</a>
        </nav>
      )}
    </main>
  )
}

const tableUrl = (r: string, table: string, k: string | null): string =>
  `/customer?${new URLSearchParams({ r, t: table, ...(k !== null && { k }), ...languageInAddress() }).toString()}`

/** Null until the script runs: without it, a disabled button would stay disabled. */
function useFilled(form: RefObject<HTMLFormElement | null>): { filled: boolean | null; check: () => void } {
  const [filled, setFilled] = useState<boolean | null>(null)
  const check = (): void => {
    const { restaurantId, tableNumber } = readValues(form.current)
    setFilled(restaurantId !== '' && tableNumber !== '')
  }
  useEffect(check, [form])
  return { filled, check }
}

function readValues(form: HTMLFormElement | null): TableEntryValues {
  const fields = new FormData(form ?? undefined)
  const read = (name: string): string => {
    const value = fields.get(name)
    return typeof value === 'string' ? value.trim() : ''
  }
  return { restaurantId: read('r'), tableNumber: read('t') }
}
