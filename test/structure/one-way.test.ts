import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const sources = globSync('src/**/*.{ts,tsx}')
  .filter((file) => !file.includes('.test.'))
  .map((file) => ({ file: file.replaceAll('\\', '/'), text: readFileSync(file, 'utf8') }))

const filesWith = (pattern: RegExp, folder = 'src/client/'): string[] =>
  sources
    .filter(({ file }) => file.startsWith(folder))
    .filter(({ text }) => pattern.test(text))
    .map(({ file }) => file)
    .toSorted()

it('one task at a time is `useTask`', () => {
  expect(filesWith(/\bset(?:Busy|Checking|Drawing|Loading|Making|Saving|Sending)\(true\)/u)).toEqual([
    // Until the next screen shows.
    'src/client/features/accounts/portal-selection.tsx',
    // Its ticks are sent while others are on the way.
    'src/client/features/admin/assignments/host-stand.tsx',
    // A message, which is confirmed or taken back instead of awaited.
    'src/client/features/crew/shift/end-shift-drawer.tsx',
    'src/client/lib/hooks/use-task.ts',
  ])
})

it('the end of a session is `isSignedOut`', () => {
  expect(filesWith(/\bstatus\s*===\s*401\b/u)).toEqual([
    'src/client/api/http.ts',
    // It posts without `call`, which it would have to load.
    'src/client/app/service-worker.ts',
  ])
})

it('going to a login is `useGoToLogin`', () => {
  expect(filesWith(/'Unauthorized'/u)).toEqual(['src/client/ui/page/use-go-to-login.ts'])
})

it('the state of a dialog is `useDialog`', () => {
  expect(
    filesWith(/onOpenChange=\{set\w+\}|\[\w*(?:asking|confirming|dialogOpen)\w*, set\w+\] = useState/iu),
  ).toEqual([
    // A list of suggestions, not a dialog.
    'src/client/features/admin/assignments/crew-search.tsx',
  ])
})

it('handing over what comes in one turn of the event loop is `oncePerTurn`', () => {
  expect(
    filesWith(
      /\.push\([^)]*\)+ === 1\)|\.size === 0\)\s*\{?\s*(?:setImmediate|queueMicrotask)/u,
      'src/server/',
    ),
  ).toEqual(['src/server/core/tasks/once-per-turn.ts'])
})

it('trying again later is `backoffMs`', () => {
  expect(filesWith(/\w \*\* \(?(?:failures|tries|attempts?)|\b(?:delay|wait)\w*\s*\*/iu, 'src/')).toEqual([
    'src/contract/backoff.ts',
    // Hardly ever does anybody else wait for the same lease.
    'src/server/core/billing/billing-lease.ts',
  ])
})
