import { expect, it } from 'vitest'
import { tabNames, tabs } from '../requests/request-tabs.tsx'
import { findCommand, type FocusContext, shortcutList } from './shortcuts.ts'

type Pressed = Partial<Parameters<typeof findCommand>[0]>

function press(key: string, modifiers: Pressed = {}, focus: FocusContext = 'page') {
  return findCommand(
    { key, repeat: false, ctrlKey: false, metaKey: false, altKey: false, isComposing: false, ...modifiers },
    focus,
  )
}

it('maps single keys to commands', () => {
  expect(
    ['j', 'k', 'ArrowDown', 'ArrowUp', 'a', 'c', 'u', 'm', '?', '1', '6'].map((key) => press(key)),
  ).toEqual([
    { type: 'move', by: 1 },
    { type: 'move', by: -1 },
    { type: 'move', by: 1 },
    { type: 'move', by: -1 },
    { type: 'accept' },
    { type: 'complete' },
    { type: 'undo' },
    { type: 'messages' },
    { type: 'help' },
    { type: 'tab', index: 0 },
    { type: 'tab', index: 5 },
  ])
  expect(['7', '0', 'x', 'J', 'Enter', 'Tab', ' '].map((key) => press(key))).toEqual(Array(7).fill(null))
})

it('ignores typing and the shortcuts of the browser', () => {
  expect(press('c', {}, 'field')).toBeNull()
  for (const modifiers of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }, { isComposing: true }])
    expect(press('c', modifiers)).toBeNull()
})

it('leaves arrow keys to a focused control', () => {
  expect(press('ArrowDown', {}, 'control')).toBeNull()
  expect(press('j', {}, 'control')).toEqual({ type: 'move', by: 1 })
})

it('a key that is held down only moves the focus', () => {
  expect(press('j', { repeat: true })).toEqual({ type: 'move', by: 1 })
  expect(press('c', { repeat: true })).toBeNull()
})

it('has a number key for each tab, and lists them by the words on the tabs', () => {
  const { length } = tabNames
  const keys = Array.from({ length }, (_, index) => `${index + 1}`)
  expect(keys.map((key) => press(key))).toEqual(keys.map((_, index) => ({ type: 'tab', index })))
  expect(press(`${length + 1}`)).toBeNull()
  expect(shortcutList).toContainEqual({ keys: ['1', '–', `${length}`], does: Object.values(tabs).join(', ') })
})
