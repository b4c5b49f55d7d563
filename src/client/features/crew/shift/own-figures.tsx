import { type JSX, Suspense } from 'react'
import { Button } from '../../../ui/button.tsx'
import { lazyWithRetry } from '../late.ts'
import { useLazyDialog } from '../use-late-dialog.ts'

const FiguresDialog = lazyWithRetry(async () => (await import('./own-figures-dialog.tsx')).OwnFiguresDialog)

/** One's own figures, for who signed in with a password: a chosen name proves nothing. */
export function OwnFigures(): JSX.Element {
  const dialog = useLazyDialog()
  return (
    <>
      <Button wide aria-haspopup="dialog" onClick={dialog.show}>
        My figures
      </Button>
      {dialog.hasOpened && (
        <Suspense>
          <FiguresDialog {...dialog.props} />
        </Suspense>
      )}
    </>
  )
}
