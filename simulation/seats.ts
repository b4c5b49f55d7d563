import type { Schema } from '../src/server/storage/schema.ts'
import type { Phone, Visit } from './phone.ts'
import type { Restaurant } from './restaurant.ts'

export type Move = Schema['partyMove']

/** All moves, oldest first. */
export const readMoves = ({ id, world }: Pick<Restaurant, 'id' | 'world'>): Promise<Move[]> =>
  world.server.app.ctx.db.reader
    .selectFrom('partyMove')
    .selectAll()
    .where('restaurantId', '=', id)
    .orderBy('at')
    .execute()

/** Where somebody sits who has been at this table since then, with every party that left it. */
export function followMoves(
  moves: readonly Move[],
  { tableNumber, startedAt }: Pick<Visit, 'tableNumber' | 'startedAt'>,
  isMade: (move: Move) => boolean = ({ undoneAt }) => undoneAt === null,
): string {
  let seat = tableNumber
  for (const move of moves)
    if (move.fromKey === seat && move.at > startedAt && isMade(move)) seat = move.toKey
  return seat
}

/** The visit at this table that a call named which arrived then. */
export const visitAt = ({ visits }: Phone, tableNumber: string, at: number): Visit | undefined =>
  visits.findLast((visit) => visit.tableNumber === tableNumber && visit.startedAt <= at)

/** The table of a tap that named this one and arrived then. */
export function seatAt(moves: readonly Move[], phone: Phone, tableNumber: string, at: number): string {
  const visit = visitAt(phone, tableNumber, at) ?? { tableNumber, startedAt: 0 }
  const wasMade = (move: Move) => move.at <= at && (move.undoneAt === null || move.undoneAt > at)
  return followMoves(moves, visit, wasMade)
}

/** Where the guest of this phone sits. */
export const seatOf = (moves: readonly Move[], phone: Phone): string =>
  followMoves(moves, phone.visits.at(-1) ?? { tableNumber: phone.tableNumber, startedAt: 0 })
