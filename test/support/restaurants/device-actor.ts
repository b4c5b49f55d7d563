import { type Actor, anonymousActor } from '../../../src/server/core/actor.ts'

/** A device that is signed in to a restaurant. */
export const deviceActor = (restaurantId: string, sessionId: string | null = null): Actor => ({
  ...anonymousActor(),
  sessionId,
  restaurantId,
  grants: new Map([
    [
      'device',
      {
        subjectId: restaurantId,
        restaurantId,
        authAt: 0,
        idleUntil: Infinity,
        recent: true,
        via: 'password',
      },
    ],
  ]),
})
