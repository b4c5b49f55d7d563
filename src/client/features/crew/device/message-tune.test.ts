import { expect, it } from 'vitest'
import type { CrewMember } from '#contract/crew.ts'
import type { RoleCall } from '#contract/shift.ts'
import type { TeamMessage } from '#contract/messages.ts'
import { messageTune } from './message-tune.ts'

const maya: CrewMember = { id: 'maya', name: 'Maya', role: 'Server' }

const written = (from: string, to: string): TeamMessage => ({
  id: 'm1',
  restaurantId: 'Blue Door',
  senderCrewId: from,
  senderCrewName: from,
  targetCrewId: to,
  targetCrewName: to,
  messageKey: null,
  messageText: 'Hello',
  timestamp: 1,
})
const called = (role: RoleCall['role'], from: string, alerts = 1): RoleCall => ({
  id: 'c1',
  role,
  messageKey: 'NEED_RUNNER',
  tableNumber: null,
  from: { id: from, name: from },
  timestamp: 1,
  claimedBy: null,
  alerts,
})

it('sounds for messages to me, not for my own', () => {
  expect(messageTune({ type: 'team-message', message: written('leo', 'maya') }, maya)).toBe('message')
  expect(messageTune({ type: 'team-message', message: written('maya', 'leo') }, maya)).toBeNull()
})

it('sounds for each alert of a call to my role, not for my own calls or other roles', () => {
  expect(messageTune({ type: 'role-message', call: called('Server', 'leo') }, maya)).toBe('call')
  expect(messageTune({ type: 'role-message', call: called('Server', 'leo', 2) }, maya)).toBe('call')
  expect(messageTune({ type: 'role-message', call: called('Server', 'maya') }, maya)).toBeNull()
  expect(messageTune({ type: 'role-message', call: called('Busser', 'leo') }, maya)).toBeNull()
  expect(messageTune({ type: 'breaks', breaks: [] }, maya)).toBeNull()
})
