import { expect, it } from 'vitest'
import type { CrewMember } from '#contract/crew/crew.ts'
import type { RoleCall } from '#contract/crew/shift.ts'
import { buildMessage } from '../../../../../test/support/restaurants/team-message.ts'
import { messageTune } from './message-tune.ts'

const maya: CrewMember = { id: 'maya', name: 'Maya', role: 'Server' }

const buildCall = (role: RoleCall['role'], from: string, alerts = 1): RoleCall => ({
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
  expect(messageTune({ type: 'team-message', message: buildMessage('leo', 'maya') }, maya)).toBe('message')
  expect(messageTune({ type: 'team-message', message: buildMessage('maya', 'leo') }, maya)).toBeNull()
})

it('sounds for each alert of a call to my role, not for my own calls or other roles', () => {
  expect(messageTune({ type: 'role-message', call: buildCall('Server', 'leo') }, maya)).toBe('call')
  expect(messageTune({ type: 'role-message', call: buildCall('Server', 'leo', 2) }, maya)).toBe('call')
  expect(messageTune({ type: 'role-message', call: buildCall('Server', 'maya') }, maya)).toBeNull()
  expect(messageTune({ type: 'role-message', call: buildCall('Busser', 'leo') }, maya)).toBeNull()
  expect(messageTune({ type: 'breaks', breaks: [] }, maya)).toBeNull()
})
