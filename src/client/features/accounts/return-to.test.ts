import { expect, it } from 'vitest'
import { returnPath } from './return-to.ts'

const origin = 'https://tableside.example'
const back = (wanted: string) => returnPath(`?returnTo=${encodeURIComponent(wanted)}`, origin)

it.each(['/admin', '/admin?tab=crew#host', '/customer?r=The%20Copper%20Pot'])('goes back to %s', (wanted) => {
  expect(back(wanted)).toBe(wanted)
})

it('knows our own pages by their whole address too', () => {
  expect(back(`${origin}/admin`)).toBe('/admin')
})

it.each([
  'https://evil.example/admin',
  '//evil.example/admin',
  '/\\evil.example',
  `${origin}//evil.example`,
  'javascript:alert(1)',
  'https://tableside.example.evil.example/',
  'http://',
  '/api/logout',
  '/./api/logout',
  '',
])('stays away from %s', (wanted) => {
  expect(back(wanted)).toBeNull()
})

it('goes nowhere in particular when nothing is asked for', () => {
  expect(returnPath('', origin)).toBeNull()
})
