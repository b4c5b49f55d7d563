import { expect, it } from 'vitest'
import { passwordStrength } from './password-strength.ts'

it.for([
  ['', 'weak'],
  ['aaaaaaaaaaaaaaaa', 'weak'],
  ['123456789012', 'weak'],
  ['harbour', 'weak'],
  ['harbour7', 'fair'],
  ['Harbour-7!x', 'good'],
  ['copper-lantern-42', 'strong'],
  ['four plain words here', 'strong'],
  ['пароль-надёжный', 'strong'],
] as const)('calls %s %s', ([password, strength]) => {
  expect(passwordStrength(password)).toBe(strength)
})
