import './walk-floor.css'
import Check from 'lucide-react/icons/check'
import Circle from 'lucide-react/icons/circle'
import ScanQrCode from 'lucide-react/icons/scan-qr-code'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { type JSX, useEffect, useReducer, useState } from 'react'
import * as v from 'valibot'
import { hourMs } from '#contract/durations.ts'
import { getStored, removeStored, setStored } from '../../../lib/browser/browser-storage.ts'
import { useCodeScanner } from '../../../lib/scanner/use-code-scanner.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { BackLink } from '../../../ui/page/back-link.tsx'
import { Notice } from '../../../ui/page/notice.tsx'
import { Page } from '../../../ui/page/page.tsx'
import { type LoadedCards, TableCardLoader } from '../cards/table-card-loader.tsx'
import { examine, type Finding, newWalk, repeatWalk, scan, type Walk } from './floor-walk.ts'

/** Checks the codes that stand on the tables, one after the other. */
export const WalkFloor = (): JSX.Element => (
  <Page
    theme="light"
    title={t('Walk the Floor')}
    subtitle={t('Scan the code on every table, and see what is missing or wrong.')}
    width="medium"
    back={<BackLink href="/admin/cards" name={t('Table Cards')} />}
  >
    <TableCardLoader>{(floor) => <Round {...floor} />}</TableCardLoader>
  </Page>
)

/** Null begins a new walk. `at` is when a camera saw the code, null if it was typed. */
type Event = { content: string; at: number | null } | null

function Round(floor: LoadedCards): JSX.Element {
  const { restaurantName } = floor
  const [walk, dispatch] = useReducer(
    (current: Walk, event: Event) => {
      if (!event) return newWalk
      const { content, at } = event
      return at === null ? examine(current, floor, content) : scan(current, floor, content, at)
    },
    null,
    () => repeatWalk(floor, keptCodes(restaurantName)),
  )
  const { checked, last, problems, codes } = walk
  useEffect(() => keepCodes(restaurantName, codes), [restaurantName, codes])
  useEffect(() => {
    if (last) vibrate(last)
  }, [last])
  const isDone = floor.cards.every(({ id }) => checked.has(id))
  return (
    <>
      <Camera onFound={(content) => dispatch({ content, at: performance.now() })} />
      <TypedCode onTyped={(content) => dispatch({ content, at: null })} />
      <div role="status">{last && <Latest finding={last} />}</div>
      {problems.length > 0 && (
        <Card title={t('What Is Wrong')}>
          <ul className="flex list-disc flex-col gap-1 ps-6">
            {problems.map((problem) => (
              <li key={JSON.stringify(problem)} className="wrap-anywhere">
                {textOf(problem)}
              </li>
            ))}
          </ul>
        </Card>
      )}
      <Card
        title={t('{checked} of {tables} tables checked', {
          checked: floor.cards.filter(({ id }) => checked.has(id)).length,
          tables: floor.cards.length,
        })}
        description={isDone ? t('Every table has its code.') : undefined}
      >
        <ul className="flex flex-wrap gap-2">
          {floor.cards.map(({ id, tableNumber }) => (
            <TableMark key={id} table={tableNumber} isChecked={checked.has(id)} />
          ))}
        </ul>
        {codes.length > 0 && (
          <div>
            <Button onClick={() => dispatch(null)}>{t('Start Anew')}</Button>
          </div>
        )}
      </Card>
    </>
  )
}

/** Longer than a walk with a pause takes; cards may have changed since. */
const keptForMs = 12 * hourMs

/** `at`: when the walk was last on the screen. */
const KeptWalk = v.object({ at: v.number(), codes: v.array(v.string()) })

/** The codes found on the last walk through this restaurant, if it is not long ago. */
function keptCodes(restaurantName: string): readonly string[] {
  try {
    const { at, codes } = v.parse(KeptWalk, JSON.parse(getStored(`walk_${restaurantName}`) ?? 'null'))
    return Date.now() - at < keptForMs ? codes : []
  } catch {
    return []
  }
}

function keepCodes(restaurantName: string, codes: readonly string[]): void {
  if (codes.length === 0) removeStored(`walk_${restaurantName}`)
  else setStored(`walk_${restaurantName}`, JSON.stringify({ at: Date.now(), codes }))
}

/** Whoever looks at the next table feels what became of this one. */
function vibrate({ kind }: Finding): void {
  if ('vibrate' in navigator) navigator.vibrate(kind === 'checked' ? 80 : [80, 80, 80])
}

function TableMark({ table, isChecked }: { table: string; isChecked: boolean }): JSX.Element {
  const Icon = isChecked ? Check : Circle
  return (
    <li className="flex max-w-full items-center gap-2 rounded-control border border-rule px-3 py-2">
      <Icon aria-hidden size={20} className={isChecked ? 'shrink-0 text-done' : 'shrink-0 text-text-mute'} />
      <bdi className="min-w-0 wrap-break-word">{table}</bdi>
      <span className="sr-only">{isChecked ? t('checked') : t('not checked yet')}</span>
    </li>
  )
}

function Latest({ finding }: { finding: Finding }): JSX.Element {
  const isRight = finding.kind === 'checked'
  const Icon = isRight ? Check : TriangleAlert
  return (
    <p className="flex items-center gap-3 rounded-ticket border border-rule-strong bg-plate-2 px-4 py-3 text-xl font-semibold">
      <Icon aria-hidden size={32} className={isRight ? 'shrink-0 text-done' : 'shrink-0 text-late'} />
      <span className="min-w-0 wrap-anywhere">{textOf(finding)}</span>
    </p>
  )
}

function textOf(finding: Finding): string {
  switch (finding.kind) {
    case 'checked':
      return t('Table {table} is right.', { table: finding.table })
    case 'again':
      return t('Table {table} was scanned already.', { table: finding.table })
    case 'old':
      return t('An old code of table {table}. Put out its new card.', { table: finding.table })
    case 'no-such-table':
      return t('A code of table {table}, which does not exist.', { table: finding.table })
    case 'other-restaurant':
      return t('A code of another restaurant: {restaurant}', { restaurant: finding.restaurant })
    case 'other-address':
      return t('A code that leads to another address: {host}', { host: finding.host })
    case 'whole-restaurant':
      return t('The code of the whole restaurant, not of a table.')
    case 'old-link':
      return t('A short link that belongs to no table. It may have been replaced.')
    case 'unknown':
      return t('This is not a code of a table.')
  }
}

function Camera({ onFound }: { onFound: (content: string) => void }): JSX.Element {
  const [failed, setFailed] = useState(false)
  const { scanner, video, start, stop, switchCamera } = useCodeScanner({
    onFound,
    onFail: () => setFailed(true),
    keepsScanning: true,
  })
  const isOn = scanner !== 'not-started'
  return (
    <section aria-label={t('Camera')} className="flex flex-col gap-3">
      {failed && !isOn && (
        <Notice urgent>
          {t('The camera cannot be used. Please allow it in the browser, or type the short links.')}
        </Notice>
      )}
      <div className="walk-camera" hidden={!isOn}>
        <video ref={video} muted playsInline />
      </div>
      <div className="flex flex-wrap gap-3">
        {isOn ? (
          <>
            <Button onClick={stop}>{t('Stop')}</Button>
            {switchCamera && <Button onClick={switchCamera}>{t('Switch camera')}</Button>}
          </>
        ) : (
          <Button
            variant="primary"
            size={56}
            icon={<ScanQrCode aria-hidden size={24} />}
            onClick={() => {
              setFailed(false)
              start()
            }}
          >
            {t('Start Scanning')}
          </Button>
        )}
      </div>
    </section>
  )
}

/** From the keyboard, or from a scanner that types. */
function TypedCode({ onTyped }: { onTyped: (content: string) => void }): JSX.Element {
  const form = useForm({
    initial: { code: '' },
    parse: ({ code }) =>
      code.trim() === ''
        ? { ok: false, message: 'Please type a short link' }
        : { ok: true, value: code.trim() },
    submit(code, { reset, focus }) {
      onTyped(code)
      reset()
      focus('code')
    },
    inline: true,
  })
  return (
    <form {...form.props} className="grid grid-cols-1 items-start gap-3 sm:grid-cols-[1fr_auto]">
      <Field
        label={t('Short link')}
        hint={t('Such as K7QF-M2XW. A scanner that types works, too.')}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        {...form.field('code')}
      />
      <div className="sm:pt-7">
        <Button type="submit">{t('Check Code')}</Button>
      </div>
    </form>
  )
}
