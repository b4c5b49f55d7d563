import { type ComponentType, type JSX, useEffect, useState } from 'react'
import { api } from '#contract/api.ts'
import { call } from '../api/http.ts'
import { setIdentityConfirmation } from '../api/recent-sign-in.ts'
import type { ConfirmIdentityDialogProps } from './confirm-identity-dialog.tsx'

type PendingConfirmation = ConfirmIdentityDialogProps & { Dialog: ComponentType<ConfirmIdentityDialogProps> }

/** Asks an owner or manager to confirm who they are whenever a call needs it, over whatever screen is open. */
export function ConfirmIdentity(): JSX.Element | null {
  const [pending, setPending] = useState<PendingConfirmation | null>(null)
  useEffect(
    () =>
      setIdentityConfirmation(async () => {
        const [identity, { ConfirmIdentityDialog }] = await Promise.all([
          call(api.accounts.identity),
          import('./confirm-identity-dialog.tsx'),
        ])
        return await new Promise((resolve) =>
          setPending({ identity, Dialog: ConfirmIdentityDialog, onDone: resolve }),
        )
      }),
    [],
  )
  if (!pending) return null
  const { Dialog, identity, onDone } = pending
  return (
    <Dialog
      identity={identity}
      onDone={(confirmed) => {
        setPending(null)
        onDone(confirmed)
      }}
    />
  )
}
