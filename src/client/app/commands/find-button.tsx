import SearchIcon from 'lucide-react/icons/search'
import { type JSX, useCallback, useEffect, useRef } from 'react'
import { lazyPart } from '../../lib/hooks/lazy.tsx'
import { t } from '../../lib/texts/translate.ts'
import { Button } from '../../ui/button.tsx'
import { useDialog } from '../../ui/dialogs/use-dialog.ts'
import { offerCommandMenu } from '../../ui/page/offered-command-menu.ts'
import type { Role } from './commands.ts'
import { type Opener, rememberOpener } from './opener.ts'

const CommandMenu = lazyPart(async () => (await import('./command-menu.tsx')).CommandMenu, {
  preload: false,
})

const isApple = (): boolean => /mac|iphone|ipad/iu.test(navigator.userAgent)

/** The command menu, which Ctrl K opens (⌘ K on Apple's machines). */
function useCommandMenu(who: Role) {
  const { mounted, isOpen, open, props } = useDialog()
  const opener = useRef<Opener>(null)
  const openFrom = useCallback(
    (element: Element | null): void => {
      opener.current = rememberOpener(element)
      open()
    },
    [open],
  )
  useEffect(() => {
    const openByKey = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey, shiftKey, isComposing } = event
      if (key.toLowerCase() !== 'k' || ctrlKey === metaKey || altKey || shiftKey || isComposing) return
      event.preventDefault()
      if (!isOpen) openFrom(document.activeElement)
    }
    document.addEventListener('keydown', openByKey)
    return () => document.removeEventListener('keydown', openByKey)
  }, [isOpen, openFrom])
  useEffect(() => offerCommandMenu(() => openFrom(null)), [openFrom])
  return { openFrom, menu: mounted && <CommandMenu {...{ who, opener }} {...props} /> }
}

/** Opens the command menu, as its key does. `compact`: only an icon on a phone. */
export function FindButton({ who, compact = false }: { who: Role; compact?: boolean }): JSX.Element {
  const { openFrom, menu } = useCommandMenu(who)
  return (
    <>
      <Button
        variant="quiet"
        size={44}
        icon={<SearchIcon aria-hidden size={20} />}
        aria-keyshortcuts="Control+K Meta+K"
        onClick={({ currentTarget }) => openFrom(currentTarget)}
      >
        <span className={compact ? 'max-sm:sr-only' : undefined}>{t('Find')}</span>
        <kbd aria-hidden className="font-sans text-sm font-normal text-text-mute max-lg:hidden">
          {isApple() ? '⌘ K' : t('Ctrl K')}
        </kbd>
      </Button>
      {menu}
    </>
  )
}

/** For a screen that has room for it only in one of its menus. */
export function FindByKey({ who }: { who: Role }): JSX.Element {
  return <>{useCommandMenu(who).menu}</>
}
