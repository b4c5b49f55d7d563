import type { Socket } from '../../../src/server/live/connection.ts'

/** Says nothing, and loses what is sent to it. */
export const silentSocket: Socket = {
  send() {},
  close() {},
  terminate() {},
  ping() {},
  bufferedBytes: 0,
  listen() {},
}
