// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/react'
import { expect, it, type Mock, vi } from 'vitest'
import { RadioList } from './radio-list.tsx'

const options = ['Maya', 'José', 'Björn', 'Siobhán', 'Tom', 'Ana', 'Lea', 'Max'].map((label) => ({
  value: label.toLowerCase(),
  label,
}))

function start(value: string | null = null): Mock<(picked: string) => void> {
  const onPick = vi.fn<(picked: string) => void>()
  render(<RadioList label="Select Your Name" options={options} value={value} onPick={onPick} />)
  return onPick
}

const names = (): (string | undefined)[] =>
  screen.queryAllByRole('radio').map((radio) => radio.closest('label')?.textContent)

const filterBy = (text: string): HTMLElement => {
  const filter = screen.getByRole('searchbox', { name: 'Filter names' })
  fireEvent.change(filter, { target: { value: text } })
  return filter
}

it('finds a name in any spelling, and picks the only match with Enter', async () => {
  const onPick = start()
  const filter = filterBy(' JOSE ')
  expect(names()).toEqual(['José'])
  fireEvent.keyDown(filter, { key: 'Enter' })
  await expect.poll(() => onPick.mock.calls).toEqual([['josé']])
  filterBy('zzz')
  expect(screen.getByText('No names found')).toBeDefined()
})

it('picks on a tap, even on the current name, once the tap is painted', async () => {
  const onPick = start('maya')
  fireEvent.click(screen.getByText('Maya'))
  fireEvent.click(screen.getByText('José'))
  expect(onPick).not.toHaveBeenCalled()
  await expect.poll(() => onPick.mock.calls).toEqual([['maya']])
})

it('moves through the names with the arrow keys, and picks with Enter', async () => {
  const onPick = start('maya')
  fireEvent.keyDown(screen.getByRole('radio', { name: 'Maya' }), { key: 'ArrowDown' })
  const next = screen.getByRole<HTMLInputElement>('radio', { name: 'José' })
  fireEvent.click(next)
  expect(next.checked).toBe(true)
  expect(onPick).not.toHaveBeenCalled()
  fireEvent.keyDown(next, { key: 'Enter' })
  await expect.poll(() => onPick.mock.calls).toEqual([['josé']])
})

it('needs no filter for a short list', () => {
  render(<RadioList label="Manager" options={options.slice(0, 3)} value={null} onPick={() => {}} />)
  expect(screen.queryByRole('searchbox')).toBeNull()
})

it('picks the first name that starts with the typed text on Enter', async () => {
  const onPick = start()
  fireEvent.keyDown(filterBy('ma'), { key: 'Enter' })
  await expect.poll(() => onPick.mock.calls).toEqual([['maya']])
})

it('accepts a name typed anywhere in its dialog, even for a short list', async () => {
  const onPick = vi.fn<(picked: string) => void>()
  render(
    <div role="dialog" aria-label="Select Your Name">
      <button>Close</button>
      <RadioList label="Select Your Name" options={options.slice(0, 5)} value={null} onPick={onPick} />
    </div>,
  )
  for (const key of 'to') fireEvent.keyDown(screen.getByRole('button'), { key })
  const filter = screen.getByRole<HTMLInputElement>('searchbox')
  expect([filter.value, document.activeElement]).toEqual(['to', filter])
  fireEvent.keyDown(filter, { key: 'Enter' })
  await expect.poll(() => onPick.mock.calls).toEqual([['tom']])
})
