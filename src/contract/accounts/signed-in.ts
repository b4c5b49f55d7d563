import * as v from 'valibot'
import { CrewRole } from '../crew/crew.ts'
import { Id } from '../primitives.ts'

export const SubscriptionStatus = v.picklist(['active', 'inactive'])

/** The signed-in owner. `restaurantName` is null between the first sign-in and onboarding. */
export const CurrentUser = v.object({
  restaurantName: v.nullable(v.string()),
  email: v.string(),
  subscriptionStatus: SubscriptionStatus,
  /** Only said of an owner with more than one restaurant. */
  ownsSeveral: v.optional(v.literal(true)),
})
export type CurrentUser = v.InferOutput<typeof CurrentUser>

/** A manager gets only the names of the restaurant and of the current manager. */
export const AdminUser = v.object({
  restaurantName: v.string(),
  subscriptionStatus: v.optional(SubscriptionStatus),
  customerId: v.optional(v.string()),
  managerUsername: v.nullable(v.string()),
  /** The current one first. */
  managers: v.optional(v.array(v.object({ id: Id, username: v.string() }))),
  /** False if the owner has only ever signed in through OpenID Connect: no device can sign in yet. */
  hasPassword: v.optional(v.boolean()),
  /** Whether the restaurant's code has been generated. */
  hasQrCode: v.optional(v.boolean()),
})
export type AdminUser = v.InferOutput<typeof AdminUser>

export const SignedInRestaurant = v.object({ restaurantName: v.string() })
export type SignedInRestaurant = v.InferOutput<typeof SignedInRestaurant>

export const SignedInCrew = v.object({
  restaurantId: v.string(),
  crewMemberId: Id,
  crewMemberName: v.string(),
  role: CrewRole,
})
export type SignedInCrew = v.InferOutput<typeof SignedInCrew>

export const HasCredentials = v.object({ hasCredentials: v.boolean() })
export type HasCredentials = v.InferOutput<typeof HasCredentials>

/** What this browser is signed in to. A new tab has no other way to know. */
export const StaffSession = v.object({
  restaurantName: v.nullable(v.string()),
  grants: v.array(v.picklist(['device', 'crew', 'manager', 'owner'])),
  /** The crew member that a crew login acts as. */
  crewMember: v.nullable(v.object({ id: Id, name: v.string(), role: CrewRole })),
  /** Who signed in at Management Login. */
  manager: v.optional(v.object({ username: v.string() })),
  /** When everything in the restaurant is erased. Only said when its owner has deleted it. */
  eraseAt: v.optional(v.number()),
})
export type StaffSession = v.InferOutput<typeof StaffSession>
