import SearchIcon from 'lucide-react/icons/search'
import { type JSX, useCallback, useEffect, useRef } from 'react'
import { isPageReachable } from '../../lib/browser/page-reachable.ts'
import { lazyPart } from '../../lib/hooks/lazy.tsx'
import { useTask } from '../../lib/hooks/use-task.ts'
import { t } from '../../lib/texts/translate.ts'
import { Button } from '../../ui/button.tsx'
import { useDialog } from '../../ui/dialogs/use-dialog.ts'
import { offerCommandMenu } from '../../ui/page/offered-command-menu.ts'
import { useToast } from '../../ui/toast/toast.tsx'
import type { Role } from './commands.ts'
import { type Opener, rememberOpener } from './opener.ts'

const CommandMenu = lazyPart(async () => (await import('./command-menu.tsx')).CommandMenu, {
  preload: false,
})

/** A network that is broken does not refuse, it hangs, and a menu that nobody expects any more would take the keys. */
const patienceMs = 5_000

async function loadMenu(): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => late.resolve(false), patienceMs)
  const loaded = CommandMenu.load().then(
    () => true,
    () => false,
  )
  return await Promise.race([loaded, late.promise]).finally(() => clearTimeout(timer))
}

const isApple = (): boolean => /mac|iphone|ipad/iu.test(navigator.userAgent)

/** The command menu, which Ctrl K opens (⌘ K on Apple's machines). */
function useCommandMenu(who: Role) {
  const { mounted, isOpen, open, props } = useDialog()
  const { toast } = useToast()
  const [isLoading, run] = useTask()
  const opener = useRef<Opener>(null)
  const load = useCallback(
    (isRepeated = false): void =>
      void run(async () => {
        if (await loadMenu()) open()
        // Some browsers keep a failed file for as long as the page is open, and a server may have other files by now.
        else if (isRepeated && (await isPageReachable())) location.reload()
        else
          toast({
            title: t('Error'),
            description: t('This could not be loaded.'),
            destructive: true,
            action: { label: t('Try again'), onClick: () => load(true) },
          })
      }),
    [open, toast, run],
  )
  const openFrom = useCallback(
    (element: Element | null): void => {
      opener.current = rememberOpener(element)
      if (CommandMenu.isLoaded()) open()
      else load()
    },
    [open, load],
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
  return { openFrom, isLoading, menu: mounted && <CommandMenu {...{ who, opener }} {...props} /> }
}

/** Opens the command menu, as its key does. `compact`: only an icon on a phone. */
export function FindButton({ who, compact = false }: { who: Role; compact?: boolean }): JSX.Element {
  const { openFrom, isLoading, menu } = useCommandMenu(who)
  return (
    <>
      <Button
        variant="quiet"
        size={44}
        icon={<SearchIcon aria-hidden size={20} />}
        pending={isLoading}
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
