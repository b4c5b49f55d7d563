import type { Checker } from './evidence.ts'

/** No right without its grant: the screen of a device that was signed out hears nothing any more. */
export const rights: Checker = ({ restaurant: { tablets } }) =>
  tablets.flatMap(({ deviceId, isConnected, isFrozen }, index) =>
    deviceId === null && isConnected && !isFrozen
      ? [`tablet ${index} is connected although its device was signed out`]
      : [],
  )
