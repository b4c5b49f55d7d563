import { type JSX } from 'react'
import { Button } from '../../../ui/button.tsx'
import { lazyPart, useLazyDialog } from '../../../lib/lazy.tsx'

const FiguresDialog = lazyPart(async () => (await import('./own-figures-dialog.tsx')).OwnFiguresDialog)

/** One's own figures, for who signed in with a password: a chosen name proves nothing. */
export function OwnFigures(): JSX.Element {
  const dialog = useLazyDialog()
  return (
    <>
      <Button wide aria-haspopup="dialog" onClick={dialog.show}>
        My figures
      </Button>
      {dialog.mounted && <FiguresDialog {...dialog.props} />}
    </>
  )
}
