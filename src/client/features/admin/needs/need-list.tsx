import GripVertical from 'lucide-react/icons/grip-vertical'
import Pencil from 'lucide-react/icons/pencil'
import { type JSX, type PointerEvent, useLayoutEffect, useRef, useState } from 'react'
import type { Need } from '#contract/requests/needs.ts'
import { plural, t } from '../../../lib/texts/translate.ts'
import { IconButton } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { Checkbox } from '../../../ui/form/checkbox.tsx'
import { MoveButtons } from '../move-buttons.tsx'
import { DraftIcon } from './need-preview.tsx'
import { needName } from './needs-draft.ts'

type NeedListProps = {
  needs: readonly Need[]
  language: string
  onMove: (id: string, to: number) => void
  onShow: (need: Need, shown: boolean) => void
  onEdit: (need: Need) => void
}

/** In the order of the guests' tiles: moved by the arrows, or by dragging the handle. */
export function NeedList({ needs, language, onMove, onShow, onEdit }: NeedListProps): JSX.Element {
  const list = useRef<HTMLUListElement>(null)
  const [status, setStatus] = useState('')
  const focusAfter = useRef<{ id: string; by: number } | null>(null)
  const drag = useDrag(list, needs, onMove, announce)

  // An element that moves in the list loses the focus.
  useLayoutEffect(() => {
    const moved = focusAfter.current
    focusAfter.current = null
    if (!moved) return
    const buttonOf = (by: number) =>
      list.current?.querySelector<HTMLButtonElement>(`[data-move="${moved.id} ${by}"]:not(:disabled)`)
    const button = buttonOf(moved.by) ?? buttonOf(-moved.by)
    button?.focus()
  }, [needs])

  function announce(id: string, to: number): void {
    const need = needs.find((each) => each.id === id)
    if (!need) return
    const place = { name: needName(need, language), position: to + 1, count: needs.length }
    setStatus(t('{name}: place {position} of {count}', place))
  }

  function move(id: string, from: number, by: 1 | -1): void {
    focusAfter.current = { id, by }
    onMove(id, from + by)
    announce(id, from + by)
  }

  return (
    <>
      <ul ref={list} className="flex flex-col gap-2" {...drag.events}>
        {needs.map((need, index) => {
          const { id, hidden } = need
          const name = needName(need, language)
          return (
            <li key={id} data-need={id} data-dragged={drag.dragged === id || undefined} className="need-row">
              <span aria-hidden data-handle={id} className="need-handle">
                <GripVertical size={20} />
              </span>
              <span
                className={classNames(
                  'need-name flex min-w-0 items-center gap-2',
                  hidden && 'text-text-mute',
                )}
              >
                <DraftIcon need={need} />
                <span className="min-w-0 flex-1">
                  <bdi className="block font-semibold wrap-anywhere">{name}</bdi>
                  <Details need={need} />
                </span>
              </span>
              <span className="ms-auto flex flex-wrap items-center justify-end">
                <Checkbox
                  label={t('Shown')}
                  aria-label={`${t('Shown')}: ${name}`}
                  checked={!hidden}
                  onChange={({ target }) => onShow(need, target.checked)}
                />
                <MoveButtons
                  id={id}
                  name={name}
                  isFirst={index === 0}
                  isLast={index === needs.length - 1}
                  onMove={(by) => move(id, index, by)}
                />
                <IconButton
                  label={t('Change {name}', { name })}
                  size={44}
                  aria-haspopup="dialog"
                  onClick={() => onEdit(need)}
                >
                  <Pencil aria-hidden size={18} />
                </IconButton>
              </span>
            </li>
          )
        })}
      </ul>
      <p role="status" className="sr-only">
        {status}
      </p>
    </>
  )
}

function Details({ need: { choices, note } }: { need: Need }): JSX.Element | null {
  const parts = [
    choices.length > 0 && plural(choices.length, '1 choice', '{count} choices'),
    note && t('short note'),
  ].filter(Boolean)
  return parts.length === 0 ? null : <span className="text-sm text-text-mute">{parts.join(' · ')}</span>
}

/** The list keeps the pointer: a row that moves would lose it. */
function useDrag(
  list: { current: HTMLUListElement | null },
  needs: readonly Need[],
  onMove: NeedListProps['onMove'],
  onDropped: (id: string, to: number) => void,
) {
  const [dragged, setDragged] = useState<string | null>(null)
  const end = (): void => {
    if (dragged === null) return
    setDragged(null)
    onDropped(
      dragged,
      needs.findIndex(({ id }) => id === dragged),
    )
  }
  const events = {
    onPointerDown(event: PointerEvent<HTMLUListElement>) {
      const handle =
        event.target instanceof Element ? event.target.closest<HTMLElement>('[data-handle]') : null
      if (!handle || event.button !== 0) return
      event.preventDefault()
      event.currentTarget.setPointerCapture(event.pointerId)
      setDragged(handle.dataset['handle'] ?? null)
    },
    onPointerMove({ clientY }: PointerEvent<HTMLUListElement>) {
      if (dragged === null) return
      const rows = [...(list.current?.querySelectorAll('[data-need]') ?? [])].map((row) =>
        row.getBoundingClientRect(),
      )
      const from = needs.findIndex(({ id }) => id === dragged)
      const to = rows.findIndex(({ top, bottom }) => clientY >= top && clientY < bottom)
      const [own, other] = [rows[from], rows[to]]
      if (!own || !other || to === from) return
      // Only as far as the row then lies below the pointer: rows of unequal height would swap for ever.
      const isPast = to > from ? clientY > other.bottom - own.height : clientY < other.top + own.height
      if (isPast) onMove(dragged, to)
    },
    onPointerUp: end,
    onPointerCancel: end,
  }
  return { dragged, events }
}
