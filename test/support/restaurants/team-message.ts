import type { TeamMessage } from '#contract/crew/messages.ts'

/** A message between two crew members, whose names are their ids. */
export const buildMessage = (from: string, to: string, fields: Partial<TeamMessage> = {}): TeamMessage => ({
  id: 'm1',
  restaurantId: 'Blue Door',
  senderCrewId: from,
  senderCrewName: from,
  targetCrewId: to,
  targetCrewName: to,
  messageKey: null,
  messageText: 'Hello',
  timestamp: 1,
  ...fields,
})
