type Expectation = { pattern: RegExp; met: boolean }

let expectations: Expectation[] = []
let complaints: string[] = []

/**
 * Declares that the running test logs a console error or warning that matches. It fails if the
 * expected one does not appear.
 */
export function expectConsoleError(pattern: RegExp): void {
  expectations.push({ pattern, met: false })
}

export function recordComplaint(text: string): void {
  const expectation = expectations.find(({ pattern }) => pattern.test(text))
  if (expectation) expectation.met = true
  else complaints.push(text)
}

/** Throws if there were unexpected errors or warnings, or expected ones are missing. */
export function assertNoComplaints(): void {
  const missing = expectations.filter(({ met }) => !met).map(({ pattern }) => String(pattern))
  const unexpected = complaints
  expectations = []
  complaints = []
  if (unexpected.length > 0) throw new Error(`Unexpected console output:\n${unexpected.join('\n')}`)
  if (missing.length > 0)
    throw new Error(`Expected console output that did not appear: ${missing.join(', ')}`)
}
