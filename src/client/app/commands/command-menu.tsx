import { Autocomplete as Base } from '@base-ui/react/autocomplete'
import { type JSX, type RefObject, useMemo, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '#contract/api.ts'
import { useFreshApiQuery } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { useSignOut } from '../../api/use-sign-out.ts'
import { catalogueSetOf } from '../../lib/texts/language.ts'
import { plural, t } from '../../lib/texts/translate.ts'
import { usePortalTexts } from '../../lib/texts/use-portal-texts.ts'
import { localDate } from '../../lib/time/dates.ts'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import {
  type Command,
  findCommands,
  listCommands,
  listFigureDays,
  listRestaurants,
  listThings,
  type Role,
} from './commands.ts'
import type { Opener } from './opener.ts'

type CommandMenuProps = {
  who: Role
  open: boolean
  onOpenChange: (open: boolean) => void
  /** Gets the focus back if nothing is chosen. */
  opener: RefObject<Opener>
}

/** Everything an owner or manager can open or do, by typing. */
export function CommandMenu({ who, open, onOpenChange, opener }: CommandMenuProps): JSX.Element | null {
  const hasLed = useRef(false)
  const [isCrewScreen] = useState(() => catalogueSetOf(location.pathname) === 'staff')
  const portalTexts = usePortalTexts(isCrewScreen)
  const language = isCrewScreen ? portalTexts : {}
  const findFinalFocus = (): HTMLElement | null => {
    const target = hasLed.current ? document.querySelector('h1') : opener.current?.()
    hasLed.current = false
    return target instanceof HTMLElement ? target : null
  }
  if (!language) return null
  return (
    <Dialog
      tapFirst
      title={t('Find anything')}
      open={open}
      onOpenChange={onOpenChange}
      // The input has the focus before the dialog could look who had it.
      finalFocus={findFinalFocus}
    >
      <div {...language} className="contents">
        <Search
          who={who}
          onDone={() => {
            hasLed.current = true
            onOpenChange(false)
          }}
        />
      </div>
    </Dialog>
  )
}

function Search({ who, onDone }: { who: Role; onDone: () => void }): JSX.Element {
  const isOwner = who === 'owner'
  const { data: tables = [] } = useFreshApiQuery(api.floor.tables, isOwner ? {} : null)
  const { data: crew = [] } = useFreshApiQuery(api.crew.list, isOwner ? {} : null)
  const session = useSession()
  const ownsSeveral = session.state === 'signed-in' && session.user.ownsSeveral === true
  const { data: restaurants = [] } = useFreshApiQuery(api.ownRestaurants.list, ownsSeveral ? {} : null)
  const [today] = useState(() => localDate(Date.now()))
  const [query, setQuery] = useState('')
  const [, navigate] = useLocation()
  const signOut = useSignOut()
  const all = useMemo(
    () => [
      ...listCommands(who),
      ...(isOwner
        ? [...listRestaurants(restaurants), ...listThings(tables, crew, today)]
        : listFigureDays(today)),
    ],
    [who, isOwner, restaurants, tables, crew, today],
  )
  const found = useMemo(() => findCommands(all, query), [all, query])

  function run({ path }: Command): void {
    onDone()
    if (path.startsWith('/api/logout')) signOut(path)
    else navigate(path)
  }

  return (
    <Base.Root
      items={found}
      mode="none"
      inline
      open
      autoHighlight="always"
      keepHighlight
      value={query}
      onValueChange={(next, { reason }) => {
        if (reason !== 'item-press') setQuery(next)
      }}
      itemToStringValue={({ name }) => name}
    >
      <Base.Input
        autoFocus
        aria-label={t('Find anything')}
        placeholder={
          isOwner ? t('A table, a name, a day, a setting …') : t('A page, a day, something to do …')
        }
        autoComplete="off"
        autoCorrect="off"
        spellCheck={false}
        className="min-h-14 w-full rounded-control border border-rule-strong bg-plate px-4 text-lg"
      />
      <Base.Status className="sr-only">
        {found.length === 0 ? t('Nothing found') : plural(found.length, '{count} result', '{count} results')}
      </Base.Status>
      {found.length === 0 && <p className="text-text-mute">{t('Nothing found')}</p>}
      <Base.List
        aria-label={t('Find anything')}
        className="h-[min(22rem,45dvh)] scroll-py-1 overflow-y-auto overscroll-contain outline-none"
      >
        {(command: Command) => (
          <Base.Item
            key={command.id}
            value={command}
            onClick={() => run(command)}
            className="flex min-h-11 cursor-pointer flex-wrap items-center justify-between gap-x-4 rounded-[9px] px-3 py-1 select-none data-highlighted:bg-text data-highlighted:text-ground data-highlighted:[--text-mute:var(--plate-2)]"
          >
            <span className="min-w-0 font-semibold wrap-anywhere">{command.name}</span>
            <span className="text-sm text-(--text-mute)">{command.kind}</span>
          </Base.Item>
        )}
      </Base.List>
    </Base.Root>
  )
}
