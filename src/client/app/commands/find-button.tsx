import SearchIcon from 'lucide-react/icons/search'
import { type JSX, useEffect, useRef } from 'react'
import { lazyPart } from '../../lib/hooks/lazy.tsx'
import { t } from '../../lib/texts/translate.ts'
import { Button } from '../../ui/button.tsx'
import { useDialog } from '../../ui/dialogs/use-dialog.ts'
import type { Role } from './commands.ts'
import { type Opener, rememberOpener } from './opener.ts'

const CommandMenu = lazyPart(async () => (await import('./command-menu.tsx')).CommandMenu)

const isApple = (): boolean => /mac|iphone|ipad/iu.test(navigator.userAgent)

/** Opens the command menu, as Ctrl K does (⌘ K on Apple's machines). */
export function FindButton({ who }: { who: Role }): JSX.Element {
  const { mounted, isOpen, open, props } = useDialog()
  const opener = useRef<Opener>(null)
  useEffect(() => {
    const openByKey = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey, shiftKey, isComposing } = event
      if (key.toLowerCase() !== 'k' || ctrlKey === metaKey || altKey || shiftKey || isComposing) return
      event.preventDefault()
      if (isOpen) return
      opener.current = rememberOpener(document.activeElement)
      open()
    }
    document.addEventListener('keydown', openByKey)
    return () => document.removeEventListener('keydown', openByKey)
  }, [isOpen, open])
  return (
    <>
      <Button
        variant="quiet"
        size={44}
        icon={<SearchIcon aria-hidden size={20} />}
        aria-keyshortcuts="Control+K Meta+K"
        onClick={({ currentTarget }) => {
          opener.current = rememberOpener(currentTarget)
          open()
        }}
      >
        <span className={who === 'manager' ? 'max-sm:sr-only' : undefined}>{t('Find')}</span>
        <kbd aria-hidden className="font-sans text-sm font-normal text-text-mute max-lg:hidden">
          {isApple() ? '⌘ K' : t('Ctrl K')}
        </kbd>
      </Button>
      {mounted && <CommandMenu {...{ who, opener }} {...props} />}
    </>
  )
}
