/** `note`: nothing to do, but good to know. */
export type CheckState = 'ok' | 'note' | 'warning' | 'problem'

/** What the doctor looked at, and found. */
export type Check = { name: string; state: CheckState; text: string }

export const ok = (name: string, text: string): Check => ({ name, state: 'ok', text })
export const note = (name: string, text: string): Check => ({ name, state: 'note', text })
export const warning = (name: string, text: string): Check => ({ name, state: 'warning', text })
export const problem = (name: string, text: string): Check => ({ name, state: 'problem', text })

/** The reasons that networks and files give stand at the end of a chain of causes. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message
}
