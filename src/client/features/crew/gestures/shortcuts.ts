export type Command =
  | { type: 'move'; by: 1 | -1 }
  | { type: 'accept' | 'complete' | 'undo' | 'messages' | 'help' }
  | { type: 'tab'; index: number }

/** Where the focus is: in an element that handles all keys, in one that handles arrow keys, or elsewhere. */
export type FocusContext = 'field' | 'control' | 'page'

type KeyPress = Pick<KeyboardEvent, 'key' | 'repeat' | 'ctrlKey' | 'metaKey' | 'altKey' | 'isComposing'>

export const shortcutList: readonly { keys: readonly string[]; does: string }[] = [
  { keys: ['J', '↓'], does: 'Next ticket' },
  { keys: ['K', '↑'], does: 'Previous ticket' },
  { keys: ['A'], does: 'On my way' },
  { keys: ['C'], does: 'Mark Complete' },
  { keys: ['U'], does: 'Undo' },
  { keys: ['1', '–', '6'], does: 'All, Drinks, Food, Check, Help, Other' },
  { keys: ['M'], does: 'Messages' },
  { keys: ['?'], does: 'This list' },
]

const commands: ReadonlyMap<string, Command> = new Map([
  ['j', { type: 'move', by: 1 }],
  ['k', { type: 'move', by: -1 }],
  ['a', { type: 'accept' }],
  ['c', { type: 'complete' }],
  ['u', { type: 'undo' }],
  ['m', { type: 'messages' }],
  ['?', { type: 'help' }],
  ...[0, 1, 2, 3, 4, 5].map((index): [string, Command] => [`${index + 1}`, { type: 'tab', index }]),
])

const arrows: ReadonlyMap<string, Command> = new Map([
  ['ArrowDown', { type: 'move', by: 1 }],
  ['ArrowUp', { type: 'move', by: -1 }],
])

/** A key that is held down only moves the focus: one press completes one request. */
export function findCommand(key: KeyPress, context: FocusContext): Command | null {
  if (context === 'field' || key.ctrlKey || key.metaKey || key.altKey || key.isComposing) return null
  const command = commands.get(key.key) ?? (context === 'page' ? arrows.get(key.key) : undefined) ?? null
  return key.repeat && command?.type !== 'move' ? null : command
}

const fieldSelector = 'input, textarea, select, [contenteditable], [role="dialog"]'

export function focusContextOf(target: EventTarget | null): FocusContext {
  if (!(target instanceof Element) || target === document.body) return 'page'
  if (target.closest(fieldSelector)) return 'field'
  return target.closest('.tickets') || target.matches('h1, h2, main') ? 'page' : 'control'
}
