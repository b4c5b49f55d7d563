/** 0: done. 1: something is wrong, or it could not be done. 2: the command was misused. */
export const exitCodes = { done: 0, failed: 1, misused: 2 }

/** What a command has to say: to people, and to programs. */
export type Outcome = {
  text: string
  json: Record<string, unknown>
  /** The command ran, and found something wrong. */
  failed?: boolean
}

export const plural = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : nouns}`

/** Says in words why a command was not carried out. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  /** The words are missing or wrong, not the installation. */
  readonly misused: boolean

  constructor(message: string, { misused = false } = {}) {
    super(message)
    this.misused = misused
  }
}

/** With `--json` standard output holds one JSON document and nothing else, whatever happens. */
export function printOutcome({ text, json, failed = false }: Outcome, asJson: boolean): number {
  process.stdout.write(asJson ? `${JSON.stringify({ ok: !failed, ...json }, null, 2)}\n` : `${text}\n`)
  return failed ? exitCodes.failed : exitCodes.done
}

export function printProblem(message: string, asJson: boolean): void {
  if (asJson) process.stdout.write(`${JSON.stringify({ ok: false, error: message }, null, 2)}\n`)
  else process.stderr.write(`${message}\n`)
}
