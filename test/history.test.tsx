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
  ['and stays there', () => undefined],
  ['and goes on to another page', () => history.pushState(null, '', '/elsewhere')],
])('a test that closes a dialog at its end %s', (_, goOn) => {
  it('leaves the browser on its way back', async () => {
    const { rerender } = render(<Layer open />)
    expect(history.state?.layer).toBeDefined()
    vi.stubGlobal('setImmediate', (arrive: () => void) => setTimeout(arrive, slowTripMs))
    rerender(<Layer open={false} />)
    // The entry is removed in a microtask.
    await Promise.resolve()
    goOn()
  })

  it('lets the next test open one', () => {
    history.pushState({ place: 'page' }, '')
    render(<Layer open />)
    expect(history.state?.layer).toBeDefined()
  })
})
