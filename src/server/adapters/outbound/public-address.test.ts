import { expect, it } from 'vitest'
import { isPublicAddress } from './public-address.ts'

it('recognizes public and private addresses', () => {
  const all = {
    '8.8.8.8': true,
    '172.15.0.1': true,
    '172.16.0.1': false,
    '100.64.0.1': false,
    '192.168.1.1': false,
    '224.0.0.1': false,
    '255.255.255.255': false,
    '0.0.0.0': false,
    '2606:4700::1111': true,
    '::1': false,
    '::': false,
    'fd00::1': false,
    'fe80::1': false,
    '::ffff:8.8.8.8': false,
    '64:ff9b::a00:1': false,
    '2002:a00:1::': false,
  }
  expect(Object.fromEntries(Object.keys(all).map((address) => [address, isPublicAddress(address)]))).toEqual(
    all,
  )
})
