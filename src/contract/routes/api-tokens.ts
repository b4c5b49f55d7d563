import { type ApiToken, type CreatedApiToken, NewApiToken, type OwnApiToken } from '../accounts/api-tokens.ts'
import { idParams, type Routes, unchecked } from './route.ts'

export const apiTokens = {
  /** Oldest first. */
  list: { method: 'GET', path: '/api/tokens', reply: unchecked<ApiToken[]>() },
  create: {
    method: 'POST',
    path: '/api/tokens',
    body: NewApiToken,
    reply: unchecked<CreatedApiToken>(),
    status: 201,
  },
  /** It is refused from then on, and what is open with it is closed. */
  remove: { method: 'DELETE', path: '/api/tokens/:id', params: idParams },
  /** For the software that has the token: whose it is, and what it may do. */
  own: { method: 'GET', path: '/api/token', reply: unchecked<OwnApiToken>() },
} satisfies Routes
