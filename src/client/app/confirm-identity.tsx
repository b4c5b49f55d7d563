import { type ReactNode, useEffect, useState } from 'react'
import { api } from '#contract/api.ts'
import { call } from '../api/http.ts'
import { dialogs } from '../api/recent-sign-in.ts'

/** Asks an owner or manager to confirm who they are whenever a call needs it, over whatever screen is open. */
export function ConfirmIdentity(): ReactNode {
  const [dialog, setDialog] = useState<ReactNode>(null)
  useEffect(() => {
    dialogs.confirm = async () => {
      const [identity, { ConfirmIdentityDialog }] = await Promise.all([
        call(api.accounts.identity),
        import('./confirm-identity-dialog.tsx'),
      ])
      return await new Promise((resolve) =>
        setDialog(
          <ConfirmIdentityDialog
            identity={identity}
            onDone={(confirmed) => {
              setDialog(null)
              resolve(confirmed)
            }}
          />,
        ),
      )
    }
    return () => {
      delete dialogs.confirm
    }
  }, [])
  return dialog
}
