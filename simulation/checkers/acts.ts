import type { Schema } from '../../src/server/storage/schema.ts'
import type { CrewAct } from '../steps.ts'
import type { Checker } from './evidence.ts'

/** Once an act is acknowledged, at least one of these has happened to its request: somebody else may have been faster. */
const effects: Record<CrewAct, readonly Schema['requestEvent']['kind'][]> = {
  'accept-request': ['accepted', 'completed', 'cancelled'],
  // Nothing has to happen where nobody was on the way.
  'release-request': ['created'],
  'complete-request': ['completed', 'cancelled'],
  'reopen-request': ['reopened'],
  'requests-seen': ['seen', 'completed', 'cancelled', 'merged'],
}

/** Everything that was acknowledged to the crew has happened. */
export const acts: Checker = ({ restaurant: { tablets }, eventsOf }) =>
  tablets.flatMap(({ acknowledged }, index) =>
    acknowledged
      .filter(({ act, id }) => !eventsOf(id).some(({ kind }) => effects[act].includes(kind)))
      .map(({ act, id }) => ({
        about: id,
        problem: `tablet ${index}: ${act} of ${id} was acknowledged and has not happened`,
      })),
  )
