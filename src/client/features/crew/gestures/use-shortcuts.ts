import { useEffect } from 'react'
import { getStored } from '../../../lib/browser/browser-storage.ts'
import type * as Shortcuts from './shortcuts.ts'

/** Listens to the keyboard of the whole page. `run` returns whether it handled the command. */
export function useShortcuts(run: (command: Shortcuts.Command) => boolean): void {
  useEffect(() => {
    let shortcuts: typeof Shortcuts | null = null
    const load = async (): Promise<void> => {
      // A phone has no keys: it paints before it loads them.
      shortcuts = await import('./shortcuts.ts')
    }
    // Everything that a key does, a button does, too.
    load().catch(() => undefined)
    const press = (event: KeyboardEvent): void => {
      if (!shortcuts || event.defaultPrevented) return
      const command = shortcuts.findCommand(event, shortcuts.focusContextOf(event.target))
      if (command && getStored('shortcuts') !== 'off' && run(command)) event.preventDefault()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [run])
}
