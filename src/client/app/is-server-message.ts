import * as v from 'valibot'
import { ServerMessage } from '#contract/live.ts'

export const isServerMessage = (value: unknown): value is ServerMessage => v.is(ServerMessage, value)
