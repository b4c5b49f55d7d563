import * as v from 'valibot'
import { keysOf } from '../keys-of.ts'
import { Id, nameField, Timestamp } from '../primitives.ts'

/** What software with a token may do, as owners read it. */
export const apiScopes = {
  'requests:read': 'See what guests ask for, as it happens',
  'requests:act': 'Accept and complete requests',
  'floor:read': 'See tables, crew, assignments and opening hours',
  'seating:act': 'Open and close tables for parties',
  'figures:read': 'Read and download figures',
} as const
export type ApiScope = keyof typeof apiScopes
export const apiScopeNames = keysOf(apiScopes)

/** How many a restaurant may have. */
export const maxApiTokens = 20

/** How long a token may be valid, in days. */
export const apiTokenDays = [30, 90, 365] as const

/** Lets other software act for the restaurant, within its scopes. */
export const ApiToken = v.object({
  id: Id,
  name: v.string(),
  scopes: v.array(v.picklist(apiScopeNames)),
  createdAt: Timestamp,
  /** Null if it is valid until somebody revokes it. */
  expiresAt: v.nullable(Timestamp),
  /** To within a minute; null until it is first used. */
  lastUsedAt: v.nullable(Timestamp),
})
export type ApiToken = v.InferOutput<typeof ApiToken>

export const NewApiToken = v.object({
  name: nameField('Please name the software that will use it', 60),
  scopes: v.pipe(
    v.array(v.picklist(apiScopeNames)),
    v.minLength(1, 'Please choose what it may do'),
    v.maxLength(apiScopeNames.length),
  ),
  /** Null for one without an end. */
  days: v.nullable(v.picklist(apiTokenDays)),
})
export type NewApiToken = v.InferOutput<typeof NewApiToken>

/** The token is stored only as a digest, so this is the only answer that contains it. */
export const CreatedApiToken = v.object({ apiToken: ApiToken, token: v.string() })
export type CreatedApiToken = v.InferOutput<typeof CreatedApiToken>

/** What a token says of itself. */
export const OwnApiToken = v.object({ ...ApiToken.entries, restaurantName: v.string() })
export type OwnApiToken = v.InferOutput<typeof OwnApiToken>
