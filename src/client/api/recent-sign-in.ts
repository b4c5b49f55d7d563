type ConfirmIdentity = () => Promise<boolean>

let confirmIdentity: ConfirmIdentity | null = null
let pendingConfirmation: Promise<boolean> | null = null

/** Says who asks people to confirm who they are; only the app's root does. Answers how to take that back. */
export function setIdentityConfirmation(asking: ConfirmIdentity): () => void {
  confirmIdentity = asking
  return () => {
    if (confirmIdentity === asking) confirmIdentity = null
  }
}

/** Whether whoever is signed in confirmed it just now. However many calls ask, one dialog does. */
export async function requestRecentSignIn(): Promise<boolean> {
  pendingConfirmation ??= (confirmIdentity?.() ?? Promise.resolve(false))
    .catch(() => false)
    .finally(() => {
      pendingConfirmation = null
    })
  return await pendingConfirmation
}
