import Plus from 'lucide-react/icons/plus'
import UserX from 'lucide-react/icons/user-x'
import { type ComponentProps, type JSX, type Ref, use, useEffect, useMemo, useRef, useState } from 'react'
import { CrewName, type CrewMember } from '#contract/crew/crew.ts'
import { parse } from '#contract/parse.ts'
import { tRich } from '../../../lib/texts/translate-rich.ts'
import { plural, t } from '../../../lib/texts/translate.ts'
import { Autocomplete } from '../../../ui/form/autocomplete.tsx'
import { useErrorToast } from '../../../ui/toast/toast.tsx'
import { CrewSearchContext } from './crew-context.ts'
import { type AssignmentChoice, choiceKey, choiceFromInput, suggestCrew } from './crew-suggestions.ts'

const blurDelayMs = 200

type CrewSearchProps = {
  label: string
  current: CrewMember | undefined
  /** Whether the suggestions are open initially. */
  defaultOpen: boolean
  /** The initial text. */
  defaultValue: string | undefined
  onChoose: (choice: AssignmentChoice) => void
  /** `keepsFocus`: left by a key, so the focus stays in the cell. */
  onLeave: (keepsFocus: boolean) => void
  inputRef: Ref<HTMLInputElement>
  tabIndex: number
  inputClassName: string
}

/** The search of one assignment cell: Enter assigns, Escape closes. */
export function CrewSearch(props: CrewSearchProps): JSX.Element {
  const {
    label,
    current,
    defaultOpen,
    defaultValue = '',
    onChoose,
    onLeave,
    inputRef,
    tabIndex,
    inputClassName,
  } = props
  const { crew, load } = use(CrewSearchContext)
  const showError = useErrorToast()
  const [typed, setTyped] = useState(defaultValue)
  const [open, setOpen] = useState(defaultOpen)
  const highlighted = useRef<AssignmentChoice>(null)
  const leaving = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(leaving.current), [])
  const { choices, matches } = useMemo(() => suggestCrew(typed, crew, current), [typed, crew, current])

  function choose(choice: AssignmentChoice): void {
    const checked = choice.kind === 'new' ? parse(CrewName, choice.name) : { ok: true as const }
    if (checked.ok) return onChoose(choice)
    showError(checked.message)
  }

  const onKeyDown: ComponentProps<typeof Autocomplete>['onKeyDown'] = (event) => {
    if (event.nativeEvent.isComposing) return
    const { key, altKey } = event
    if (key === 'Escape') {
      event.preventBaseUIHandler()
      setOpen(false)
      setTyped('')
      onLeave(true)
    } else if (key === 'Enter') {
      if (open && highlighted.current) return
      event.preventBaseUIHandler()
      event.preventDefault()
      const choice = choiceFromInput(typed, crew)
      if (choice) choose(choice)
    } else if (['ArrowDown', 'ArrowUp'].includes(key) && !open) {
      event.preventBaseUIHandler()
      if (!altKey && typed === '') return
      event.preventDefault()
      setOpen(true)
    } else if (['ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageUp', 'PageDown'].includes(key)) {
      // In an empty input these keys move between cells; in a text they move the caret.
      if (typed === '') event.preventBaseUIHandler()
      else event.stopPropagation()
    }
  }

  return (
    <Autocomplete
      {...{ label, inputRef, tabIndex, inputClassName, onKeyDown, open }}
      autoFocus
      placeholder={t(current ? 'Search crew' : 'Assign crew')}
      options={choices}
      keyOf={choiceKey}
      value={typed}
      onValueChange={(text) => {
        setTyped(text)
        setOpen(true)
      }}
      onOpenChange={setOpen}
      onPick={choose}
      onHighlight={(choice) => {
        highlighted.current = choice
      }}
      onFocus={() => clearTimeout(leaving.current)}
      onBlur={() => {
        leaving.current = setTimeout(() => onLeave(false), blurDelayMs)
      }}
      status={resultsText(
        matches,
        choices.some(({ kind }) => kind === 'new'),
      )}
      footer={
        matches > choices.length && t('{count} crew members. Type to narrow them down.', { count: matches })
      }
    >
      {(choice) => <SuggestionRow choice={choice} load={load} />}
    </Autocomplete>
  )
}

function resultsText(matches: number, canAdd: boolean): string {
  const results = matches === 0 ? t('No suggestions') : plural(matches, '1 suggestion', '{count} suggestions')
  if (matches === 1) return `${results}. ${t('Enter takes it.')}`
  return canAdd ? `${results}. ${t('Enter adds a new Server.')}` : results
}

function SuggestionRow({
  choice,
  load,
}: {
  choice: AssignmentChoice
  load: ReadonlyMap<string, number>
}): JSX.Element {
  switch (choice.kind) {
    case 'member': {
      const { id, name, role } = choice.member
      const tables = load.get(id) ?? 0
      return (
        <>
          <span className="min-w-0 flex-1 font-semibold wrap-anywhere">{name}</span>
          <span className="shrink-0 text-sm text-(--text-mute)">
            {t(role)}
            {tables > 0 && ` · ${plural(tables, '1 table', '{count} tables')}`}
          </span>
        </>
      )
    }
    case 'new':
      return (
        <>
          <Plus aria-hidden size={18} className="shrink-0" />
          <span className="min-w-0 flex-1 wrap-anywhere">
            {tRich('Add {name} as a Server', { name: <b>{choice.name}</b> })}
          </span>
        </>
      )
    case 'nobody':
      return (
        <>
          <UserX aria-hidden size={18} className="shrink-0" />
          <span className="flex-1">{t('Assign nobody')}</span>
        </>
      )
  }
}
