import * as v from 'valibot'
import { NewPassword } from '../accounts/passwords.ts'
import { Id, nameField } from '../primitives.ts'

export const crewRoles = ['Server', 'Host', 'Busser'] as const
export const CrewRole = v.picklist(crewRoles, 'Please choose a role')
export type CrewRole = v.InferOutput<typeof CrewRole>

export const CrewName = nameField('Please enter a crew member name', 80)

export const CrewMember = v.object({ id: Id, name: CrewName, role: CrewRole })
export type CrewMember = v.InferOutput<typeof CrewMember>

/** For the owner only: how the member is protected, and how many assignments would go with them. */
export const CrewDetails = v.object({
  ...CrewMember.entries,
  username: v.nullable(v.string()),
  hasPin: v.boolean(),
  /** Assignments from today on. */
  upcoming: v.number(),
  /** How many of them are at the host stand, which is for Hosts only. */
  atHostStand: v.number(),
})
export type CrewDetails = v.InferOutput<typeof CrewDetails>

export const NewCrewMember = v.omit(CrewMember, ['id'])
export type NewCrewMember = v.InferOutput<typeof NewCrewMember>

export const Pin = v.pipe(v.string(), v.regex(/^\d{4,8}$/u, 'A PIN has 4 to 8 digits'))

/** What can be changed about a crew member; `null` removes a PIN, a login or the section. */
export const CrewChange = v.object({
  name: v.optional(CrewName),
  role: v.optional(CrewRole),
  sectionId: v.optional(v.nullable(Id)),
  pin: v.optional(v.nullable(Pin)),
  username: v.optional(v.nullable(nameField('Please enter a username', 80))),
  password: v.optional(NewPassword),
})
export type CrewChange = v.InferOutput<typeof CrewChange>
