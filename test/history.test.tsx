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

describe('a page has arrived where it was sent', () => {
  it('after a test that ended in the moment in which a dialog was closed', async () => {
    const { rerender } = render(<Layer open />)
    expect(history.state?.layer).toBeDefined()
    vi.stubGlobal('setImmediate', (arrive: () => void) => setTimeout(arrive, slowTripMs))
    rerender(<Layer open={false} />)
    // The entry is removed in a microtask.
    await Promise.resolve()
  })

  it('so the next test can open one', () => {
    history.pushState({ place: 'page' }, '')
    render(<Layer open />)
    expect(history.state?.layer).toBeDefined()
  })
})
