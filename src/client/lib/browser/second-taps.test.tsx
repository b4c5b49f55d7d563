// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { IgnoreSecondTaps } from './second-taps.ts'

/** Each press shows the next button in the place of the one before. */
function Steps() {
  const [step, setStep] = useState(1)
  return (
    <>
      <IgnoreSecondTaps />
      <button key={step} type="button" onClick={() => setStep(step + 1)}>
        {`Step ${step}`}
      </button>
    </>
  )
}

const button = (): HTMLElement => screen.getByRole('button')

function tap(detail: number): void {
  fireEvent.mouseDown(button(), { detail })
  fireEvent.mouseUp(button(), { detail })
  fireEvent.click(button(), { detail })
}

it('ignores the second press of a double click on what has just appeared, and nothing after it', () => {
  render(<Steps />)
  tap(1)
  tap(2)
  expect(button().textContent).toBe('Step 2')
  // What a browser makes of Enter.
  fireEvent.click(button(), { detail: 0 })
  expect(button().textContent).toBe('Step 3')
  fireEvent.click(button(), { detail: 1 })
  expect(button().textContent).toBe('Step 4')
})
