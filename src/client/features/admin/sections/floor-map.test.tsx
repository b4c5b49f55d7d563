// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { FloorMap } from './floor-map.tsx'

it('moves a table on from where it was moved to, although that is not drawn yet', () => {
  const onArrange = vi.fn()
  render(
    <FloorMap
      sections={[]}
      tables={[{ id: 'id-2', tableNumber: '2', sectionId: null, place: { x: 1, y: 0 } }]}
      assigned={null}
      selection={{ ids: new Set(), toggle: vi.fn(), add: vi.fn(), clear: vi.fn() }}
      tabStop="id-2"
      handlers={{ onFocus: vi.fn(), onKeyDown: vi.fn() }}
      onArrange={onArrange}
    />,
  )
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight'])
    fireEvent.keyDown(screen.getByRole('button', { name: /^Table 2\b/u }), { key, shiftKey: true })
  expect(onArrange.mock.calls.map(([changes]) => changes)).toEqual([
    [{ tableId: 'id-2', place: { x: 1, y: 1 } }],
    [{ tableId: 'id-2', place: { x: 1, y: 2 } }],
    [{ tableId: 'id-2', place: { x: 2, y: 2 } }],
  ])
})
