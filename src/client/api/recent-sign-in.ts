/** `confirm`: the dialog of the app's root, in which the person confirms who they are. */
export const dialogs: { confirm?: () => Promise<boolean> } = {}

let pendingConfirmation: Promise<boolean> | null = null

/** Whether the person has just confirmed who they are. Concurrent calls share one dialog. */
export async function requestRecentSignIn(): Promise<boolean> {
  pendingConfirmation ??= (dialogs.confirm?.() ?? Promise.resolve(false))
    .catch(() => false)
    .finally(() => {
      pendingConfirmation = null
    })
  return await pendingConfirmation
}
