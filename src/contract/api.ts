/**
 * All routes, such as `api.requests.send`. A namespace, so that each page's script contains only the groups of routes
 * that it calls.
 */
export * as api from './routes/all.ts'
export type { CallInput, Input, Reply, Route } from './routes/route.ts'
