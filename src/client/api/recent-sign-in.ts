type ConfirmIdentity = () => Promise<boolean>

let confirmIdentity: ConfirmIdentity | null = null
let pendingConfirmation: Promise<boolean> | null = null

/** Called by the app's root, which owns the dialog. Returns a function that takes the dialog away again. */
export function setIdentityConfirmation(confirm: ConfirmIdentity): () => void {
  confirmIdentity = confirm
  return () => {
    if (confirmIdentity === confirm) confirmIdentity = null
  }
}

/** Whether the person has just confirmed who they are. Concurrent calls share one dialog. */
export async function requestRecentSignIn(): Promise<boolean> {
  pendingConfirmation ??= (confirmIdentity?.() ?? Promise.resolve(false))
    .catch(() => false)
    .finally(() => {
      pendingConfirmation = null
    })
  return await pendingConfirmation
}
