/** Texts of the guest page, beside `guestTexts`, that are needed only where guests can write to the manager. */
export const managerNoteTexts: readonly string[] = [
  'Something is not right',
  'A word to the manager',
  'Only the manager reads it. At most 280 characters.',
  'Please tell us what is wrong',
  'Sent to the manager',
  'The manager has read it',
  '{name} is taking care of it',
  'The manager is taking care of it',
  'The manager has taken care of it',
  'The manager’s answer',
  'Messages to the manager are switched off here. Please ask your waiter.',
]
