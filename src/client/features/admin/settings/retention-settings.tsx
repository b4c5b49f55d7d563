import { type JSX, useState } from 'react'
import {
  isShorter,
  minRetentionDays,
  type Remains,
  Retention,
  type RetentionKind,
  retentionKinds,
  type RetentionState,
} from '#contract/accounts/retention.ts'
import { api } from '#contract/api.ts'
import { dayMs } from '#contract/durations.ts'
import { keepTheirs, mergeFields } from '#contract/merging.ts'
import { parse } from '#contract/parse.ts'
import { call } from '../../../api/http.ts'
import { useApiCache } from '../../../api/queries.ts'
import { useTask } from '../../../lib/hooks/use-task.ts'
import { parseCount } from '../../../lib/parse-number.ts'
import { plural, t } from '../../../lib/texts/translate.ts'
import { addDays, formatDate } from '../../../lib/time/dates.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Dialog } from '../../../ui/dialogs/dialog.tsx'
import { useDialog } from '../../../ui/dialogs/use-dialog.ts'
import { Field } from '../../../ui/form/field.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { Notice } from '../../../ui/page/notice.tsx'
import { usePhoneFold } from '../../../ui/page/use-phone-fold.ts'
import { useToast } from '../../../ui/toast/toast.tsx'
import { isConflict, useReportError } from '../use-report-error.ts'

const labels: Record<RetentionKind, string> = {
  requests: 'Requests, in days',
  messages: 'Messages, in days',
  log: 'Log of changes, in days',
}

const contents: Record<RetentionKind, string> = {
  requests:
    'With everything that happened to them, who worked where, and when nobody listened. Figures then reach back only so far.',
  messages: 'Among the crew. What guests write to the manager goes after 30 days in any case.',
  log: 'Who changed what, as the Security page shows it.',
}

const subjects: Record<RetentionKind, string> = {
  requests: 'Requests',
  messages: 'Messages',
  log: 'Log of changes',
}

type Fields = Record<RetentionKind, string>

const toFields = ({ requests, messages, log }: Retention): Fields => ({
  requests: String(requests ?? ''),
  messages: String(messages ?? ''),
  log: String(log ?? ''),
})

const toDays = (text: string): number | null => (text.trim() === '' ? null : parseCount(text))

const parseFields = ({ requests, messages, log }: Fields) =>
  parse(Retention, { requests: toDays(requests), messages: toDays(messages), log: toDays(log) })

/**
 * For how long the restaurant keeps what. What goes sooner is asked for first, and can be undone until then. A phone
 * shows the form on demand.
 */
export function RetentionSettings({ state }: { state: RetentionState }): JSX.Element {
  const { retention, keptFrom, undo, runAt, remains } = state
  const [known, setKnown] = useState(retention)
  const fold = usePhoneFold('retention')
  const question = useDialog<Retention>()
  const asked = question.subject
  const [busy, run] = useTask()
  const { setData } = useApiCache()
  const { toast } = useToast()
  const reportError = useReportError()
  const form = useForm({
    initial: toFields(retention),
    parse: parseFields,
    async submit(wanted) {
      if (retentionKinds.some((kind) => isShorter(kind, wanted, known))) question.open(wanted)
      else await save(wanted)
    },
    onError: (error) => reportError(error, 'Failed to save how long things are kept'),
    inline: true,
  })

  const show = (now: RetentionState): void => {
    setKnown(now.retention)
    setData(api.retention.state, {}, now)
  }

  async function save(wanted: Retention): Promise<void> {
    try {
      const saved = await call(api.retention.set, { body: { ...wanted, was: known } })
      show(saved)
      form.reset(toFields(saved.retention))
      toast({ title: t('Success'), description: t('Saved how long things are kept') })
    } catch (error) {
      if (!isConflict(error)) throw error
      const now = await call(api.retention.state)
      const merged = mergeFields(keepTheirs, toFields(now.retention), toFields(known), form.values)
      show(now)
      form.reset(merged)
      reportError(error, 'Failed to save how long things are kept')
    }
  }

  const saveNow = (wanted: Retention): void =>
    void run(async () => {
      try {
        await save(wanted)
      } catch (error) {
        reportError(error, 'Failed to save how long things are kept')
      }
      question.close()
    })

  return (
    <Card
      title={t('How long things are kept')}
      anchor="retention"
      description={
        fold.isShown
          ? t('Everything, unless you want less. An empty field keeps everything of its kind.')
          : keptText(known)
      }
      action={
        fold.isPhone && (
          <Button
            aria-label={`${t('Change')}: ${t('How long things are kept')}`}
            aria-expanded={fold.isOpen}
            onClick={() => fold.setOpen(!fold.isOpen)}
          >
            {t('Change')}
          </Button>
        )
      }
    >
      {undo !== null && runAt !== null && (
        <Notice
          tone="plain"
          action={
            <Button pending={busy} onClick={() => saveNow(undo)}>
              {t('Undo')}
            </Button>
          }
        >
          {t('What is older is removed on {time}. You can undo this until then.', {
            time: formatNight(runAt, state),
          })}
        </Notice>
      )}
      {fold.isShown && (
        <>
          <form {...form.props} className="flex flex-col gap-4">
            {retentionKinds.map((kind) => (
              <Field
                key={kind}
                label={t(labels[kind])}
                inputMode="numeric"
                autoComplete="off"
                hint={
                  <>
                    {plural(minRetentionDays[kind], 'At least {count} day.', 'At least {count} days.')}{' '}
                    {t(contents[kind])} <KeptFrom day={keptFrom[kind]} />
                  </>
                }
                {...form.field(kind)}
              />
            ))}
            <div>
              <Button type="submit" variant="primary" pending={form.busy} pendingLabel={t('Saving…')}>
                {t('Save')}
              </Button>
            </div>
          </form>
          <RemainsText remains={remains} />
        </>
      )}
      <Dialog
        title={t('Keep less?')}
        {...question.props}
        description={t('On {time} this is removed for good. You can undo it until then.', {
          time: formatNight(state.earliestRun.at, state),
        })}
      >
        {asked && (
          <>
            <Losses wanted={asked} state={state} />
            {/* Not at the foot: what scrolls with large text holds something that the keyboard reaches. */}
            <div className="flex flex-wrap gap-3">
              <Button variant="danger" pending={busy} onClick={() => saveNow(asked)}>
                {t('Remove what is older')}
              </Button>
              <Button onClick={question.close}>{t('Cancel')}</Button>
            </div>
          </>
        )}
      </Dialog>
    </Card>
  )
}

function keptText(retention: Retention): string {
  if (retentionKinds.every((kind) => retention[kind] === null)) return t('Everything, unless you want less.')
  return retentionKinds
    .map((kind) => {
      const days = retention[kind]
      const kept = days === null ? t('everything') : plural(days, '{count} day', '{count} days')
      return `${t(subjects[kind])}: ${kept}`
    })
    .join(' · ')
}

const formatNight = (at: number, { timeZone }: RetentionState): string =>
  formatDate(at, { timeZone, dateStyle: 'long', timeStyle: 'short' })

const formatDay = (day: string): string => formatDate(Date.parse(day), { timeZone: 'UTC', dateStyle: 'long' })

const KeptFrom = ({ day }: { day: string | null }): string | null =>
  day && t('What is from before {day} was removed.', { day: formatDay(day) })

/** How many days of what will go. */
function Losses({ wanted, state }: { wanted: Retention; state: RetentionState }): JSX.Element {
  const { retention, oldest, earliestRun } = state
  const shorter = retentionKinds.filter((kind) => isShorter(kind, wanted, retention))
  return (
    <>
      <ul className="list-disc ps-6">
        {shorter.map((kind) => {
          const before = addDays(earliestRun.day, -(wanted[kind] ?? 0))
          const first = oldest[kind]
          const days = first === null ? 0 : Math.round((Date.parse(before) - Date.parse(first)) / dayMs)
          return (
            <li key={kind}>
              {t(subjects[kind])}
              {': '}
              {days > 0
                ? plural(days, '{count} day, from before {day}', '{count} days, from before {day}', {
                    day: formatDay(before),
                  })
                : t('nothing is that old yet')}
            </li>
          )
        })}
      </ul>
      <RemainsText remains={state.remains} />
    </>
  )
}

/** What removing something here does not reach. */
export function RemainsText({ remains: { backups, receivers } }: { remains: Remains }): JSX.Element {
  return (
    <p className="wrap-anywhere text-text-mute">
      {backups === null
        ? t('Backups of this server hold what was removed until whoever runs it deletes them.')
        : plural(
            Math.ceil((backups.everyMs * backups.keep) / dayMs),
            'Backups of this server hold what was removed for about {count} day more.',
            'Backups of this server hold what was removed for about {count} days more.',
          )}{' '}
      {receivers.length > 0 &&
        t('What was sent stays where it went: {receivers}.', {
          receivers: receivers.map(receiverText).join(', '),
        })}
    </p>
  )
}

const receiverText = ({ name, lastAt }: Remains['receivers'][number]): string =>
  lastAt === null
    ? t('{receiver} (nothing yet)', { receiver: name })
    : t('{receiver} (until {day})', { receiver: name, day: formatDate(lastAt, { dateStyle: 'medium' }) })
