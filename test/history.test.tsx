// @vitest-environment jsdom
import { render } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { useCloseOnBack } from '../src/client/lib/hooks/use-close-on-back.ts'

function Layer({ open }: { open: boolean }): null {
  useCloseOnBack(open, () => undefined)
  return null
}

/** Until jsdom has arrived, for which it needs two tasks. */
const slowTripMs = 50

describe.each([
  ['when a dialog had just been closed', () => undefined],
  ['when the page had gone on from there, too', () => history.pushState(null, '', '/elsewhere')],
])('after a test that ended %s', (_, goOn) => {
  it('(this one)', async () => {
    const { rerender } = render(<Layer open />)
    expect(history.state?.layer).toBeDefined()
    vi.stubGlobal('setImmediate', (arrive: () => void) => setTimeout(arrive, slowTripMs))
    rerender(<Layer open={false} />)
    // The entry is removed in a microtask.
    await Promise.resolve()
    goOn()
  })

  it('the next one can open a dialog', () => {
    history.pushState({ place: 'page' }, '')
    render(<Layer open />)
    expect(history.state?.layer).toBeDefined()
  })
})
