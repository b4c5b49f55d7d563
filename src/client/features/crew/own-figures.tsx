import { type JSX, Suspense } from 'react'
import { Button } from '../../ui/button.tsx'
import { late } from './late.ts'
import { useLateDialog } from './use-late-dialog.ts'

const FiguresDialog = late(async () => (await import('./own-figures-dialog.tsx')).OwnFiguresDialog)

/** One's own figures, for who signed in with a password: a chosen name proves nothing. */
export function OwnFigures(): JSX.Element {
  const dialog = useLateDialog()
  return (
    <>
      <Button wide aria-haspopup="dialog" onClick={dialog.show}>
        My figures
      </Button>
      {dialog.wasOpened && (
        <Suspense>
          <FiguresDialog {...dialog.props} />
        </Suspense>
      )}
    </>
  )
}
