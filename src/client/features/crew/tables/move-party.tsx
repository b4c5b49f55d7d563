import { type JSX, type SubmitEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { api } from '#contract/api.ts'
import { nameKey } from '#contract/primitives.ts'
import { type ServiceRequest, undoWindowMs } from '#contract/requests/requests.ts'
import { LiveError } from '../../../api/live/live-channel.ts'
import { useLive } from '../../../api/live/use-live.ts'
import { useApiCache, useApiQuery, useFreshApiQuery } from '../../../api/queries.ts'
import { useTask } from '../../../lib/hooks/use-task.ts'
import { newId } from '../../../lib/new-id.ts'
import { compareNatural } from '../../../lib/texts/natural-order.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { Drawer } from '../../../ui/dialogs/drawer.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { useErrorToast, useToast } from '../../../ui/toast/toast.tsx'
import { useScreenSession } from '../picker/use-crew-member.ts'
import { useRequestsOnScreen } from '../requests/requests-provider.tsx'
import { describeMove } from './describe-move.ts'
import { useSeatingUpdates } from './use-seating-updates.ts'

type MovePartyDrawerProps = { open: boolean; onOpenChange: (open: boolean) => void }

/** From no ticket: also asks which party. */
export function MovePartyDrawer({ open, onOpenChange }: MovePartyDrawerProps): JSX.Element {
  return (
    <Drawer title={t('Move a party')} open={open} onOpenChange={onOpenChange}>
      <MoveParty from={null} onMoved={() => onOpenChange(false)} />
    </Drawer>
  )
}

type MovePartyProps = {
  /** Null: the user is asked for it. */
  from: string | null
  onMoved: () => void
}

/** "Table 4 moved to 12", "4 and 5 together". */
export function MoveParty({ from: given, onMoved }: MovePartyProps): JSX.Element {
  const { open } = useRequestsOnScreen()
  const [source, setSource] = useState(given ?? '')
  const [target, setTarget] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const [pending, run] = useTask()
  const tables = useTableNumbers()
  const move = useMoveParty()
  const waiting = useMemo(() => new Set(open.map(({ tableNumber }) => nameKey(tableNumber))), [open])
  const from = tables.get(nameKey(given ?? source)) ?? null
  const to = tables.get(nameKey(target)) ?? null
  const isSourceWrong = given === null && from === null
  const phones = usePhones(from, open)
  const summary = useMemo(
    () => from !== null && to !== null && describeMove({ from, to, open, phones }),
    [from, to, open, phones],
  )
  // Free ones first: most parties get a table of their own.
  const suggested = useMemo(() => {
    const isTaken = ([key]: TableEntry): boolean => waiting.has(key)
    const all = [...tables]
    return {
      from: all.filter(isTaken),
      to: all
        .filter(([, table]) => table !== from)
        .toSorted((a, b) => Number(isTaken(a)) - Number(isTaken(b))),
    }
  }, [tables, waiting, from])

  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    setProblem(null)
    void run(async () => {
      const refused = await move(from ?? source.trim(), to ?? target.trim())
      if (refused === null) onMoved()
      else setProblem(refused)
    })
  }

  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {given === null && (
        <TableField
          label={t('From table')}
          value={source}
          onValue={(table) => {
            setSource(table)
            setProblem(null)
          }}
          tables={suggested.from}
          error={isSourceWrong ? problem : null}
          autoFocus
        />
      )}
      <TableField
        label={given === null ? t('To table') : t('Move table {table} to table', { table: given })}
        value={target}
        onValue={(table) => {
          setTarget(table)
          setProblem(null)
        }}
        tables={suggested.to}
        error={isSourceWrong ? null : problem}
        autoFocus={given !== null}
      />
      <p role="status" className="text-pretty empty:hidden">
        {summary}
      </p>
      <Button type="submit" variant="primary" wide pending={pending} disabled={target.trim() === ''}>
        {to === null ? t('Move') : t('Move to table {table}', { table: to })}
      </Button>
    </form>
  )
}

/** How many phones the table has, also while that changes; undefined until it is known. */
function usePhones(table: string | null, open: readonly ServiceRequest[]): number | undefined {
  const { invalidate } = useApiCache()
  useSeatingUpdates()
  const { data } = useFreshApiQuery(
    api.tables.party,
    table === null ? null : { query: { tableNumber: table } },
  )
  // A phone joins with what it asks for.
  const asked = useMemo(() => {
    const key = table !== null && nameKey(table)
    return open
      .flatMap(({ tableNumber, id, asks }) => (nameKey(tableNumber) === key ? [id, asks] : []))
      .join()
  }, [table, open])
  const latest = useRef(asked)
  useEffect(() => {
    if (latest.current === asked) return
    latest.current = asked
    void invalidate(api.tables.party)
  }, [asked, invalidate])
  return data?.phones
}

type TableEntry = readonly [key: string, tableNumber: string]

/** By their keys, in people's order. */
function useTableNumbers(): ReadonlyMap<string, string> {
  const { restaurantId } = useScreenSession()
  const { data } = useApiQuery(
    api.floor.tablesByRestaurant,
    restaurantId === null ? null : { query: { restaurantId } },
  )
  return useMemo(
    () =>
      new Map(
        (data ?? [])
          .filter(({ category }) => category === 'table')
          .map(({ tableNumber }) => tableNumber)
          .toSorted(compareNatural)
          .map((table) => [nameKey(table), table]),
      ),
    [data],
  )
}

const maxSuggestions = 8

type TableFieldProps = {
  label: string
  value: string
  onValue: (table: string) => void
  /** To be suggested, best first. */
  tables: readonly TableEntry[]
  error?: string | null
  autoFocus: boolean
}

/** A table's number, typed or picked. */
function TableField({ label, value, onValue, tables, error, autoFocus }: TableFieldProps): JSX.Element {
  const suggested = useId()
  const typed = nameKey(value)
  const matching = tables.filter(([key]) => key.startsWith(typed)).slice(0, maxSuggestions)
  const isChosen = matching.length === 1 && matching[0]?.[0] === typed
  return (
    <div className="flex flex-col gap-2">
      <Field
        label={label}
        value={value}
        onChange={({ target }) => onValue(target.value)}
        error={error}
        autoFocus={autoFocus}
        autoComplete="off"
        enterKeyHint="go"
        maxLength={40}
      />
      <span id={suggested} hidden>
        {t('Tables')}
      </span>
      {matching.length > 0 && !isChosen && (
        <ul aria-labelledby={suggested} className="flex flex-wrap gap-2">
          {matching.map(([key, table]) => (
            <li key={key} className="max-w-full">
              <Button variant="plate" aria-pressed={key === typed} onClick={() => onValue(table)}>
                <span className="min-w-8 wrap-anywhere">{table}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** Moves, and offers to undo it. Resolves with the reason if the server refuses. */
function useMoveParty(): (from: string, to: string) => Promise<string | null> {
  const live = useLive()
  const { holdToasts, moveAsOwn } = useRequestsOnScreen()
  const { toast } = useToast()
  const showError = useErrorToast()
  /** A move that is sent again, because its answer was lost, keeps its id. */
  const [ids] = useState(() => new Map<string, string>())
  return async (from, to) => {
    const key = JSON.stringify([from, to])
    const id = ids.get(key) ?? newId(Date.now())
    ids.set(key, id)
    try {
      await moveAsOwn({ from, to }, () => live.request({ type: 'move-party', id, from, to }))
    } catch (error) {
      if (error instanceof LiveError) return error.message
      throw error
    }
    ids.delete(key)
    const undoableUntil = Date.now() + undoWindowMs
    const offerUndo = (problem?: string): void => {
      const timeoutMs = undoableUntil - Date.now()
      holdToasts(timeoutMs)
      toast({
        title: t('Table {from} moved to {to}', { from, to }),
        ...(problem !== undefined && { description: t(problem) }),
        action: { label: t('Undo'), onClick: () => void undo() },
        timeoutMs,
      })
    }
    const undo = async (): Promise<void> => {
      try {
        await moveAsOwn({ from, to }, () => live.request({ type: 'undo-party-move', id }))
      } catch (error) {
        if (!(error instanceof LiveError)) throw error
        const { code, message } = error
        if (code === 'unauthenticated') return
        if (code === 'unavailable' && Date.now() < undoableUntil) offerUndo(message)
        else showError(message)
      }
    }
    offerUndo()
    return null
  }
}
