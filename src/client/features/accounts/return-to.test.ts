import { expect, it } from 'vitest'
import { providerLoginPath, parseReturnPath } from './return-to.ts'

const origin = 'https://tableside.example'
const parse = (path: string) => parseReturnPath(`?returnTo=${encodeURIComponent(path)}`, origin)

it.each(['/admin', '/admin?tab=crew#host', '/customer?r=The%20Copper%20Pot'])('accepts %s', (path) => {
  expect(parse(path)).toBe(path)
})

it('accepts full addresses of our own pages', () => {
  expect(parse(`${origin}/admin`)).toBe('/admin')
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
])('refuses %s', (path) => {
  expect(parse(path)).toBeNull()
})

it('returns null without a path', () => {
  expect(parseReturnPath('', origin)).toBeNull()
})

it('passes the path to the identity provider, for the same account or a separate one', () => {
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
