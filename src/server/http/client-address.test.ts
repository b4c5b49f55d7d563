import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addressPrefix } from './client-address.ts'

describe('the address used for limits', () => {
  it.for([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:7:7::1', '2001:db8:7:7::/64'],
    ['2001:db8:7:7:ffff:ffff:ffff:ffff', '2001:db8:7:7::/64'],
    ['2001:0DB8:0007:0007:0:0:0:2', '2001:db8:7:7::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
  ])('%s counts as %s', ([address = '', counted]) => {
    expect(addressPrefix(address)).toBe(counted)
  })

  it('is the same within a /64, and different outside it', () => {
    const group = fc.integer({ min: 0, max: 0xffff }).map((number) => number.toString(16))
    const half = fc.tuple(group, group, group, group).map((groups) => groups.join(':'))
    fc.assert(
      fc.property(half, half, half, half, (ours, theirs, host, otherHost) => {
        expect(addressPrefix(`${ours}:${host}`)).toBe(addressPrefix(`${ours}:${otherHost}`))
        return ours === theirs || addressPrefix(`${ours}:${host}`) !== addressPrefix(`${theirs}:${host}`)
      }),
    )
  })
})
