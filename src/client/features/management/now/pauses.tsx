import { type JSX, useId, useState } from 'react'
import { api } from '#contract/api.ts'
import { dayMs } from '#contract/durations.ts'
import { maxReasonLength, NewPause, type RestaurantOpening } from '#contract/guests/opening.ts'
import { pauseReasonLabels } from '#contract/guests/pause-reasons.ts'
import { parse } from '#contract/parse.ts'
import { type Pause, pausableTypes, pauseReasons, serviceTypeLabels } from '#contract/requests/requests.ts'
import { languageOf, ownText } from '#contract/texts/languages.ts'
import { call, errorMessage } from '../../../api/http.ts'
import { useApiCache, useFreshApiQuery } from '../../../api/queries.ts'
import { useFocusAfterRemoval } from '../../../lib/hooks/use-focus-after-removal.ts'
import { useTask } from '../../../lib/hooks/use-task.ts'
import { fieldOf, languageOptions, ownLanguage, standInFor, textsOf } from '../../../lib/texts/local-texts.ts'
import { plural, t } from '../../../lib/texts/translate.ts'
import { formatDate } from '../../../lib/time/dates.ts'
import { knownZone } from '../../../lib/time/known-zone.ts'
import { useNow } from '../../../lib/time/use-now.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { SelectField } from '../../../ui/form/select-field.tsx'
import { type Parsed, useForm } from '../../../ui/form/use-form.ts'
import { LoadingOrError } from '../../../ui/page/load-error.tsx'
import { usePhoneFold } from '../../../ui/page/use-phone-fold.ts'
import { useErrorToast, useToast } from '../../../ui/toast/toast.tsx'

/** What guests cannot ask for right now. Each pause ends by itself. A phone shows the form for another on demand. */
export function Pauses(): JSX.Element {
  const { data, isError, refetch } = useFreshApiQuery(api.opening.state, {})
  const now = useNow(10_000)
  const form = usePhoneFold('pauses')
  return (
    <Card
      title={t('Pauses')}
      anchor="pauses"
      description={
        form.isShown &&
        t('Guests read the reason and until when, and cannot ask for it. They can always call a waiter.')
      }
      action={
        form.isPhone && (
          <Button aria-expanded={form.isOpen} onClick={() => form.setOpen(!form.isOpen)}>
            {t('Add a Pause')}
          </Button>
        )
      }
    >
      {data ? (
        <>
          <PauseList
            pauses={data.pauses.filter(({ until }) => until > now)}
            formatUntil={(until) => formatUntil(until, knownZone(data.timeZone), now)}
          />
          {form.isShown && <AddPause />}
        </>
      ) : (
        <LoadingOrError failed={isError} onRetry={refetch} />
      )}
    </Card>
  )
}

function useSave(): (state: RestaurantOpening, description: string) => void {
  const { setData } = useApiCache()
  const { toast } = useToast()
  return (state, description) => {
    setData(api.opening.state, {}, state)
    toast({ title: t('Success'), description })
  }
}

/** On the restaurant's clock, with the weekday if that is not today, and with the date if that may be next week's. */
function formatUntil(until: number, timeZone: string | undefined, now: number): string {
  const dayOf = (at: number): string => formatDate(at, { timeZone, dateStyle: 'short' })
  if (dayOf(until) === dayOf(now)) return formatDate(until, { timeZone, timeStyle: 'short' })
  return formatDate(until, {
    timeZone,
    hour: 'numeric',
    minute: '2-digit',
    weekday: 'long',
    ...(until - now > 6 * dayMs && { day: 'numeric', month: 'long' }),
  })
}

type PauseListProps = { pauses: Pause[]; formatUntil: (until: number) => string }

function PauseList({ pauses, formatUntil }: PauseListProps): JSX.Element | null {
  const [busy, run] = useTask()
  const save = useSave()
  const showError = useErrorToast()
  const entries = pauses.map((pause) => ({ ...pause, id: pause.serviceType }))
  const { container, markRemoved } = useFocusAfterRemoval<HTMLUListElement>(
    entries,
    'button',
    // On a phone the form may be closed.
    'select, button',
  )
  if (entries.length === 0) return null
  return (
    <ul ref={container} className="flex flex-col">
      {entries.map((pause, index) => {
        const { serviceType, until } = pause
        const need = t(serviceTypeLabels[serviceType])
        return (
          <li
            key={serviceType}
            className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-t border-rule py-2 first:border-0"
          >
            <div className="min-w-0 wrap-anywhere">
              <p className="font-semibold">{t('{need}, until {time}', { need, time: formatUntil(until) })}</p>
              <p className="text-text-mute">
                <Reason pause={pause} />
              </p>
            </div>
            <Button
              pending={busy}
              aria-label={t('End now: pause of {need}', { need })}
              onClick={() =>
                void run(async () => {
                  try {
                    markRemoved(pause, index)
                    save(await call(api.opening.resume, { params: { serviceType } }), t('Pause ended'))
                  } catch (error) {
                    showError(errorMessage(error, 'Failed to end the pause'))
                  }
                })
              }
            >
              {t('End now')}
            </Button>
          </li>
        )
      })}
    </ul>
  )
}

function Reason({ pause: { reason, text, texts } }: { pause: Pause }): JSX.Element {
  if (texts) {
    const language = languageOf(texts, document.documentElement.lang || 'en')
    return <bdi lang={language}>{texts[language]}</bdi>
  }
  return text === null ? <>{t(pauseReasonLabels[reason])}</> : <bdi lang="">{text}</bdi>
}

const durations = [10, 20, 30, 60, 120, 240, 480]
const durationText = (minutes: number): string =>
  minutes < 60
    ? plural(minutes, '{count} minute', '{count} minutes')
    : plural(minutes / 60, '{count} hour', '{count} hours')

/** As typed. The restaurant's own reason by language: `text de`. */
type PauseForm = Record<string, string>

function parsePause(
  { serviceType, reason, minutes, ...typed }: PauseForm,
  language: string,
): Parsed<NewPause> {
  const texts = textsOf(typed, 'text')
  const parsed = parse(NewPause, {
    serviceType,
    reason,
    minutes: Number(minutes),
    // A server of the version before takes only the text.
    ...(reason === 'own' && Object.keys(texts).length > 0 && { texts, text: ownText(texts) }),
  })
  if (parsed.ok) return parsed
  const { message, field = '' } = parsed
  return { ok: false, message, field: ['text', 'texts'].includes(field) ? fieldOf('text', language) : field }
}

function AddPause(): JSX.Element {
  const save = useSave()
  const showError = useErrorToast()
  const textId = useId()
  const [language, setLanguage] = useState(ownLanguage)
  const form = useForm<PauseForm, NewPause>({
    initial: { serviceType: 'food', reason: 'kitchen', minutes: '10' },
    parse: (values) => parsePause(values, language),
    async submit(body, { values: { serviceType = '', reason = '', minutes = '' }, reset }) {
      save(await call(api.opening.pause, { body }), t('Guests are told'))
      reset({ serviceType, reason, minutes })
    },
    onError: (error) => showError(errorMessage(error, 'Failed to pause')),
  })
  return (
    <form {...form.props} className="grid grid-cols-[repeat(auto-fit,minmax(min(13rem,100%),1fr))] gap-4">
      <SelectField label={t('Pause')} {...form.field('serviceType')}>
        {pausableTypes.map((type) => (
          <option key={type} value={type}>
            {t(serviceTypeLabels[type])}
          </option>
        ))}
      </SelectField>
      <SelectField label={t('Because')} {...form.field('reason')}>
        {pauseReasons.map((reason) => (
          <option key={reason} value={reason}>
            {t(pauseReasonLabels[reason])}
          </option>
        ))}
      </SelectField>
      <SelectField label={t('For')} {...form.field('minutes')}>
        {durations.map((minutes) => (
          <option key={minutes} value={minutes}>
            {durationText(minutes)}
          </option>
        ))}
      </SelectField>
      {form.values['reason'] === 'own' && (
        <>
          <SelectField
            label={t('Language of the reason')}
            hint={t('Where it is missing, guests read the one that was entered first.')}
            value={language}
            onChange={({ target }) => setLanguage(target.value)}
          >
            {languageOptions().map(({ tag, name }) => (
              <option key={tag} value={tag} lang={tag}>
                {name}
              </option>
            ))}
          </SelectField>
          <div className="col-span-full">
            <Field
              key={language}
              id={textId}
              label={t('What guests read')}
              lang={language}
              dir="auto"
              maxLength={maxReasonLength}
              autoComplete="off"
              placeholder={standInFor(textsOf(form.values, 'text'), language)}
              {...form.field(fieldOf('text', language))}
            />
          </div>
        </>
      )}
      <div className="col-span-full">
        <Button type="submit" variant="primary" pending={form.busy} pendingLabel={t('Pausing…')}>
          {t('Pause')}
        </Button>
      </div>
    </form>
  )
}
