import Nfc from 'lucide-react/icons/nfc'
import { type JSX, useEffect, useRef, useState } from 'react'
import type { TableCard } from '#contract/floor/qr.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Dialog } from '../../../ui/dialogs/dialog.tsx'
import { useDialog } from '../../../ui/dialogs/use-dialog.ts'
import { SelectField } from '../../../ui/form/select-field.tsx'

/** Web NFC, so far only in Chromium on Android. */
type TagWriter = {
  write: (
    message: { records: { recordType: 'url'; data: string }[] },
    options: { signal: AbortSignal },
  ) => Promise<void>
}
declare global {
  interface Window {
    NDEFReader?: new () => TagWriter
  }
}

type State =
  | { step: 'idle' }
  | { step: 'waiting' }
  | { step: 'written'; tableNumber: string }
  | { step: 'failed'; problem: string }

/** Puts a table's link on an NFC tag, so that guests hold their phone to it instead of scanning. */
export function NfcTags({ cards }: { cards: readonly TableCard[] }): JSX.Element {
  const dialog = useDialog()
  return (
    <Dialog
      title={t('NFC Tags')}
      description={t('A phone held to the tag opens the same page as the code of the table.')}
      {...dialog.props}
      trigger={<Button icon={<Nfc aria-hidden size={20} />}>{t('NFC Tags')}</Button>}
    >
      <TagOfTable cards={cards} />
    </Dialog>
  )
}

function TagOfTable({ cards }: { cards: readonly TableCard[] }): JSX.Element | null {
  const [chosen, setChosen] = useState(cards[0]?.tableNumber)
  const { state, write, stop } = useTagWriter()
  const card = cards.find(({ tableNumber }) => tableNumber === chosen) ?? cards[0]
  if (!card) return null
  const { tableNumber, link } = card
  const isWaiting = state.step === 'waiting'
  return (
    <>
      <SelectField
        label={t('Table')}
        value={tableNumber}
        onChange={({ target }) => {
          stop()
          setChosen(target.value)
        }}
      >
        {cards.map((each) => (
          <option key={each.tableNumber} value={each.tableNumber}>
            {each.tableNumber}
          </option>
        ))}
      </SelectField>
      <p dir="ltr" className="rounded-control bg-plate-2 p-3 text-base wrap-anywhere select-all">
        {link}
      </p>
      {!window.NDEFReader && (
        <p>
          {t(
            'This browser cannot write tags; Chrome on an Android phone can. Or copy the link, and write it as a web address with any app for NFC tags.',
          )}
        </p>
      )}
      <p role="status" className={state.step === 'failed' ? 'font-semibold text-late' : 'font-semibold'}>
        {stateText(state)}
      </p>
      <div className="flex flex-wrap gap-3">
        {window.NDEFReader && (
          <Button variant="primary" onClick={() => (isWaiting ? stop() : void write(tableNumber, link))}>
            {isWaiting ? t('Stop') : t('Write to Tag')}
          </Button>
        )}
        <CopyButton text={link}>{t('Copy Link')}</CopyButton>
      </div>
    </>
  )
}

function stateText(state: State): string {
  switch (state.step) {
    case 'idle':
      return ''
    case 'waiting':
      return t('Hold the tag to the back of the phone.')
    case 'written':
      return t('The tag of table {table} is written.', { table: state.tableNumber })
    case 'failed':
      return state.problem
  }
}

function useTagWriter() {
  const [state, setState] = useState<State>({ step: 'idle' })
  const attempt = useRef<AbortController>(undefined)
  useEffect(() => () => attempt.current?.abort(), [])

  function stop(): void {
    attempt.current?.abort()
    setState({ step: 'idle' })
  }

  async function write(tableNumber: string, link: string): Promise<void> {
    if (!window.NDEFReader) return
    const { signal } = (attempt.current = new AbortController())
    setState({ step: 'waiting' })
    try {
      await new window.NDEFReader().write({ records: [{ recordType: 'url', data: link }] }, { signal })
      if (!signal.aborted) setState({ step: 'written', tableNumber })
    } catch (error) {
      if (!signal.aborted) setState({ step: 'failed', problem: problemText(error) })
    }
  }

  return { state, write, stop }
}

function problemText(error: unknown): string {
  switch (error instanceof DOMException ? error.name : '') {
    case 'NotAllowedError':
      return t('NFC is not allowed for this page. Please allow it in the browser’s settings of this page.')
    case 'NotSupportedError':
    case 'NotReadableError':
      return t('This phone has no NFC, or it is turned off.')
    default:
      return t('The tag could not be written. Hold it still, and check that it is not locked or too small.')
  }
}
