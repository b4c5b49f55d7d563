type Ask = () => Promise<boolean>

let ask: Ask | null = null
let asked: Promise<boolean> | null = null

/** Says who asks people to confirm who they are; only the app's root does. Answers how to take that back. */
export function askForRecentSignInBy(asking: Ask): () => void {
  ask = asking
  return () => {
    if (ask === asking) ask = null
  }
}

/** Whether whoever is signed in confirmed it just now. However many calls ask, one dialog does. */
export async function recentSignIn(): Promise<boolean> {
  asked ??= (ask?.() ?? Promise.resolve(false))
    .catch(() => false)
    .finally(() => {
      asked = null
    })
  return await asked
}
