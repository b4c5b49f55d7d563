import Plus from 'lucide-react/icons/plus'
import X from 'lucide-react/icons/x'
import { type JSX, useState } from 'react'
import { api } from '#contract/api.ts'
import {
  maxSpansPerDay,
  type Opening,
  type OpeningHours as Hours,
  OpeningHoursChange,
  type OpeningSpan,
  type RestaurantOpening,
} from '#contract/guests/opening.ts'
import { isSame } from '#contract/merging.ts'
import { parse } from '#contract/parse.ts'
import { call } from '../../../api/http.ts'
import { useApiCache } from '../../../api/queries.ts'
import { useTask } from '../../../lib/hooks/use-task.ts'
import { t } from '../../../lib/texts/translate.ts'
import { formatTimeOfDay } from '../../../lib/time/time-of-day.ts'
import { weekdayName } from '../../../lib/time/weekdays.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Checkbox } from '../../../ui/form/checkbox.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { usePhoneFold } from '../../../ui/page/use-phone-fold.ts'
import { useErrorToast, useToast } from '../../../ui/toast/toast.tsx'
import { isConflict, useReportError } from '../use-report-error.ts'

const newSpan: OpeningSpan = { from: '11:00', to: '22:00' }
const firstHours: Hours = Array.from({ length: 7 }, () => [newSpan])

/** When guests can ask. What they read outside these hours comes from the server. A phone shows the fields on demand. */
export function OpeningHours({ opening }: { opening: Opening }): JSX.Element {
  const [isLimited, setLimited] = useState(opening.hours !== null)
  const [hours, setHours] = useState(opening.hours ?? firstHours)
  const [known, setKnown] = useState(opening.hours)
  const fold = usePhoneFold('opening-hours')
  const [busy, run] = useTask()
  const { setData } = useApiCache()
  const { toast } = useToast()
  const showError = useErrorToast()
  const reportError = useReportError()

  async function save(): Promise<void> {
    const parsed = parse(OpeningHoursChange, { hours: isLimited ? hours : null })
    if (!parsed.ok) return showError(parsed.message)
    try {
      const saved = await call(api.opening.setHours, { body: { ...parsed.value, was: known } })
      show(saved, (spans, day) => spans !== hours[day])
      toast({ title: t('Success'), description: t('Opening hours saved') })
    } catch (error) {
      reportError(error, 'Failed to save the opening hours')
      if (isConflict(error)) await showTheirs()
    }
  }

  /** With the days that somebody else has changed; what was changed here on others stays. */
  async function showTheirs(): Promise<void> {
    try {
      const now = await call(api.opening.state)
      show(now, (_, day) => isSame(now.hours?.[day], known?.[day]))
    } catch {
      // The refusal was shown.
    }
  }

  function show(now: RestaurantOpening, isKept: (spans: OpeningSpan[], day: number) => boolean): void {
    const { hours: saved } = now
    setData(api.opening.state, {}, now)
    setKnown(saved)
    setLimited((limited) => (limited === isLimited ? saved !== null : limited))
    setHours((shown) =>
      shown.map((spans, day) => (saved === null || isKept(spans, day) ? spans : (saved[day] ?? []))),
    )
  }

  const setDay = (day: number, spans: OpeningSpan[]): void =>
    setHours(hours.map((before, index) => (index === day ? spans : before)))

  return (
    <Card
      title={t('Opening hours')}
      anchor="opening-hours"
      description={t(
        'Outside them guests read when you open, and cannot ask. What they asked for before stays.',
      )}
      action={
        isLimited &&
        fold.isPhone && (
          <Button
            aria-label={`${t('Change')}: ${t('Opening hours')}`}
            aria-expanded={fold.isOpen}
            onClick={() => fold.setOpen(!fold.isOpen)}
          >
            {t('Change')}
          </Button>
        )
      }
    >
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          void run(save)
        }}
      >
        <Checkbox
          label={t('Guests can ask only while you are open')}
          checked={isLimited}
          onChange={({ target }) => {
            setLimited(target.checked)
            if (target.checked) fold.setOpen(true)
          }}
        />
        {isLimited && !fold.isShown && <HoursAsText hours={hours} />}
        {isLimited && fold.isShown && (
          <>
            {hours.map((spans, day) => (
              <Day
                key={weekdayName(day)}
                name={weekdayName(day)}
                spans={spans}
                onChange={(next) => setDay(day, next)}
              />
            ))}
            <div>
              <Button onClick={() => setHours(hours.map(() => hours[0] ?? []))}>
                {t('Every day like Monday')}
              </Button>
            </div>
            <p className="text-text-mute">
              {t(
                'On your restaurant’s clock. A closing time before the opening time is that of the next day.',
              )}
            </p>
          </>
        )}
        <div>
          <Button type="submit" variant="primary" pending={busy} pendingLabel={t('Saving…')}>
            {t('Save Opening Hours')}
          </Button>
        </div>
      </form>
    </Card>
  )
}

/** Days in a row with the same hours are one line. */
function HoursAsText({ hours }: { hours: Hours }): JSX.Element {
  const lines: { first: number; last: number; text: string }[] = []
  for (const [day, spans] of hours.entries()) {
    const text = formatSpans(spans)
    const before = lines.at(-1)
    if (before?.text === text) before.last = day
    else lines.push({ first: day, last: day, text })
  }
  return (
    <dl className="flex flex-col gap-1">
      {lines.map(({ first, last, text }) => (
        <div key={first} className="flex flex-wrap justify-between gap-x-4">
          <dt>{first === last ? weekdayName(first) : `${weekdayName(first)}–${weekdayName(last)}`}</dt>
          <dd className="text-text-mute">{text}</dd>
        </div>
      ))}
    </dl>
  )
}

const formatSpans = (spans: readonly OpeningSpan[]): string =>
  spans.length === 0
    ? t('closed')
    : spans.map(({ from, to }) => `${formatTimeOfDay(from)}–${formatTimeOfDay(to)}`).join(', ')

type DayProps = { name: string; spans: OpeningSpan[]; onChange: (spans: OpeningSpan[]) => void }

function Day({ name, spans, onChange }: DayProps): JSX.Element {
  const setSpan = (at: number, change: Partial<OpeningSpan>): void =>
    onChange(spans.map((span, index) => (index === at ? { ...span, ...change } : span)))
  return (
    <fieldset className="flex min-w-0 flex-col gap-2 border-t border-rule pt-3">
      <legend className="sr-only">{name}</legend>
      <div className="flex min-h-11 flex-wrap items-center justify-between gap-x-4">
        <p aria-hidden className="font-semibold">
          {name}
          {spans.length === 0 && <span className="font-normal text-text-mute"> · {t('closed')}</span>}
        </p>
        {spans.length < maxSpansPerDay && (
          <Button
            variant="quiet"
            icon={<Plus aria-hidden size={20} />}
            aria-label={t('Add times on {day}', { day: name })}
            onClick={() => onChange([...spans, newSpan])}
          >
            {t('Add times')}
          </Button>
        )}
      </div>
      {spans.map(({ from, to }, index) => (
        // Spans have nothing else to tell them apart.
        <div
          key={`${index}`}
          className="flex flex-wrap items-center gap-2 *:first:min-w-30 *:first:flex-1 *:nth-3:min-w-30 *:nth-3:flex-1 [&_input]:px-2.5 max-sm:[&_input::-webkit-calendar-picker-indicator]:hidden"
        >
          <TimeField
            label={t('Opens on {day}, {number}', { day: name, number: index + 1 })}
            time={from}
            setTime={(time) => setSpan(index, { from: time })}
          />
          <span aria-hidden>–</span>
          <TimeField
            label={t('Closes on {day}, {number}', { day: name, number: index + 1 })}
            time={to}
            setTime={(time) => setSpan(index, { to: time })}
          />
          <IconButton
            label={t('Remove {from}–{to} on {day}', {
              from: formatTimeOfDay(from),
              to: formatTimeOfDay(to),
              day: name,
            })}
            onClick={() => onChange(spans.filter((_, other) => other !== index))}
          >
            <X aria-hidden size={20} />
          </IconButton>
        </div>
      ))}
    </fieldset>
  )
}

type TimeFieldProps = { label: string; time: string; setTime: (time: string) => void }

function TimeField({ label, time, setTime }: TimeFieldProps): JSX.Element {
  return (
    <Field
      type="time"
      required
      label={label}
      labelHidden
      value={time}
      onChange={({ target }) => setTime(target.value)}
    />
  )
}
