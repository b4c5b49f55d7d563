import type { Checker } from './evidence.ts'

/** No right without its grant: a device that was signed out hears nothing any more, and guests do nothing of the crew's. */
export const rights: Checker = ({ restaurant: { tablets, phones } }) => [
  ...tablets.flatMap(({ deviceId, isConnected, isFrozen }, index) =>
    deviceId === null && isConnected && !isFrozen
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
