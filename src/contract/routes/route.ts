import * as v from 'valibot'
import { Id } from '../primitives.ts'

export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: `/api/${string}`
  params?: v.GenericSchema
  query?: v.GenericSchema
  body?: v.GenericSchema
  reply?: v.GenericSchema
  /** The status of a success. Defaults to 200 with a reply and 204 without one. */
  status?: 201
}

type ParsedPart<
  R extends Route,
  K extends 'params' | 'query' | 'body' | 'reply',
> = R[K] extends v.GenericSchema ? v.InferOutput<R[K]> : undefined
type InputPart<R extends Route, K extends 'params' | 'query' | 'body'> = R[K] extends v.GenericSchema
  ? object extends v.InferInput<R[K]>
    ? { [P in K]?: v.InferInput<R[K]> }
    : { [P in K]: v.InferInput<R[K]> }
  : unknown

/** What the server's operation receives, after validation. */
export type Input<R extends Route> = {
  params: ParsedPart<R, 'params'>
  query: ParsedPart<R, 'query'>
  body: ParsedPart<R, 'body'>
}
/** What a client passes, before validation. */
export type CallInput<R extends Route> = InputPart<R, 'params'> & InputPart<R, 'query'> & InputPart<R, 'body'>
export type Reply<R extends Route> = R['reply'] extends v.GenericSchema ? v.InferOutput<R['reply']> : void

export type Routes = Record<string, Route>

/** For replies whose schemas would be too large for every page that uses these routes: the server is trusted. */
export const unchecked = <T>(): v.GenericSchema<T> => v.custom<T>(() => true)

export const idParams = v.object({ id: Id })
