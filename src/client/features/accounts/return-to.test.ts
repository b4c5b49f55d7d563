import { expect, it } from 'vitest'
import { providerLoginPath, parseReturnPath } from './return-to.ts'

const origin = 'https://tableside.example'
const back = (wanted: string) => parseReturnPath(`?returnTo=${encodeURIComponent(wanted)}`, origin)

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
  expect(parseReturnPath('', origin)).toBeNull()
})

it('leaves for the identity provider with the way back, for the same account or for a separate one', () => {
  expect([
    providerLoginPath(null),
    providerLoginPath('/admin?tab=crew'),
    providerLoginPath('/admin', true),
    providerLoginPath(null, true),
  ]).toEqual([
    '/api/login',
    '/api/login?returnTo=%2Fadmin%3Ftab%3Dcrew',
    '/api/login?account=new&returnTo=%2Fadmin',
    '/api/login?account=new',
  ])
})
