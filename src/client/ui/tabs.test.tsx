// @vitest-environment jsdom
import { fireEvent, render, screen } from '@testing-library/react'
import { type JSX, useState } from 'react'
import { expect, it } from 'vitest'
import { Tabs } from './tabs.tsx'

const tabs = [
  { value: 'all', label: 'All' },
  { value: 'drinks', label: 'Drinks' },
  { value: 'other', label: 'Other' },
]

function Filter(): JSX.Element {
  const [value, setValue] = useState('all')
  return (
    <Tabs label="Service type" tabs={tabs} value={value} onChange={setValue}>
      shows {value}
    </Tabs>
  )
}

const key = (name: string): void => {
  fireEvent.keyDown(document.activeElement ?? document.body, { key: name })
}

it('a list of tabs is operated with the arrow keys, and only the selected tab is in the tab order', () => {
  render(<Filter />)
  screen.getByRole('tab', { name: 'All' }).focus()
  for (const [pressed, selected] of [
    ['ArrowRight', 'Drinks'],
    ['End', 'Other'],
    ['ArrowRight', 'All'],
    ['ArrowLeft', 'Other'],
    ['Home', 'All'],
  ] as const) {
    key(pressed)
    expect(screen.getByRole('tab', { selected: true }).textContent).toBe(selected)
    expect(document.activeElement?.textContent).toBe(selected)
    expect(screen.getAllByRole('tab').filter((tab) => tab.tabIndex === 0)).toHaveLength(1)
  }
})

it('names its panel after the selected tab', () => {
  render(<Filter />)
  fireEvent.click(screen.getByRole('tab', { name: 'Drinks' }))
  expect(screen.getByRole('tabpanel', { name: 'Drinks' }).textContent).toBe('shows drinks')
})
