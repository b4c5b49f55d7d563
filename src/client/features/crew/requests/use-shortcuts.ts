import { useEffect } from 'react'
import { getStored } from '../../../lib/browser-storage.ts'
import { type Command, findCommand, focusContextOf } from './shortcuts.ts'

/** Listens to the keyboard of the whole page. `run` returns whether it handled the command. */
export function useShortcuts(run: (command: Command) => boolean): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const command = event.defaultPrevented ? null : findCommand(event, focusContextOf(event.target))
      if (command && getStored('shortcuts') !== 'off' && run(command)) event.preventDefault()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [run])
}
