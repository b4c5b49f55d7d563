// @vitest-environment jsdom
import { render } from '@testing-library/react'
import type { JSX } from 'react'
import { expect, it } from 'vitest'
import { useFocusOnAdded } from './use-focus-on-added.ts'

function List({ items, hasMore }: { items: string[]; hasMore: boolean }): JSX.Element {
  const list = useFocusOnAdded(items.length, hasMore)
  return (
    <ul ref={list}>
      {items.map((item) => (
        <li key={item} tabIndex={-1}>
          {item}
        </li>
      ))}
    </ul>
  )
}

it('takes the focus to the first added only once there is no more to show', () => {
  // As after a press on a button that is disabled until more has come.
  const { rerender } = render(<List items={['a']} hasMore />)
  rerender(<List items={['a', 'b']} hasMore />)
  expect(document.activeElement).toBe(document.body)
  rerender(<List items={['a', 'b', 'c', 'd']} hasMore={false} />)
  expect(document.activeElement?.textContent).toBe('c')
})
