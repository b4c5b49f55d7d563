import { useEffect } from 'react'
import { recall } from '../../lib/browser-storage.ts'
import { type Command, commandOf, placeOf } from './shortcuts.ts'

/** Listens to the keyboard of the whole page. `run` says whether the command was one of its own. */
export function useShortcuts(run: (command: Command) => boolean): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const command = event.defaultPrevented ? null : commandOf(event, placeOf(event.target))
      if (command && recall('shortcuts') !== 'off' && run(command)) event.preventDefault()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [run])
}
