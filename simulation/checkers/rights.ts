import type { Restaurant } from '../restaurant.ts'
import type { Breach, Checker } from './evidence.ts'

/**
 * No right without its grant: a device that was signed out hears nothing any more, nor does a screen whose PIN has changed
 * or a manager whose login has ended; a wrong PIN opens nothing; and guests do nothing of the crew's. A node that cannot be
 * told of it finds it within 45 seconds, or as soon as it can be told again.
 */
export const rights: Checker = ({ restaurant: { tablets, phones, shifts, world }, now }) => [
  ...(now > world.server.broker.troubledAt ? findConnected({ tablets, shifts }) : []),
  ...(shifts?.guessed ?? []).map((id) => ({ about: id, problem: `a wrong PIN of ${id} was taken` })),
  ...(shifts?.manager.calls.splice(0) ?? [])
    .filter(({ mayManage, status }) => (status === 200) !== mayManage)
    .map(({ mayManage, status }) => ({
      about: 'the manager',
      problem: `the manager was answered ${status}, ${mayManage ? 'signed in' : 'although that login has ended'}`,
    })),
  ...phones.flatMap(({ intrusions }, index) =>
    intrusions.map((act) => ({
      about: `phone ${index}`,
      problem: `${act} of phone ${index} was acknowledged`,
    })),
  ),
]

function findConnected({ tablets, shifts }: Pick<Restaurant, 'tablets' | 'shifts'>): Breach[] {
  const breach = (about: string, although: string): Breach => ({
    about,
    problem: `${about} is connected although ${although}`,
  })
  const manager = shifts?.manager
  return [
    ...tablets.flatMap(({ deviceId, pin, enteredPin, isConnected, isFrozen }, index) => {
      if (!isConnected || isFrozen) return []
      if (deviceId === null) return breach(`tablet ${index}`, 'its device was signed out')
      return pin !== null && pin !== enteredPin ? breach(`tablet ${index}`, 'its PIN has changed') : []
    }),
    ...(manager?.isConnected === true && !manager.isFrozen && !manager.mayManage
      ? [breach('the manager', 'that login has ended')]
      : []),
  ]
}
