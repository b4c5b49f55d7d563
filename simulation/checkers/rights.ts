import type { Checker } from './evidence.ts'

/**
 * No right without its grant: a device that was signed out hears nothing any more, and guests do nothing of the crew's. A
 * node that cannot be told of it finds it within 45 seconds, or as soon as it can be told again.
 */
export const rights: Checker = ({ restaurant: { tablets, phones, world }, now }) => [
  ...tablets.flatMap(({ deviceId, isConnected, isFrozen }, index) =>
    deviceId === null && isConnected && !isFrozen && now > world.server.broker.troubledAt
      ? [
          {
            about: `tablet ${index}`,
            problem: `tablet ${index} is connected although its device was signed out`,
          },
        ]
      : [],
  ),
  ...phones.flatMap(({ intrusions }, index) =>
    intrusions.map((act) => ({
      about: `phone ${index}`,
      problem: `${act} of phone ${index} was acknowledged`,
    })),
  ),
]
