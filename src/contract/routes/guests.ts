import * as v from 'valibot'
import { Id } from '../primitives.ts'
import {
  NewServiceRequest,
  RequestReply,
  SentReply,
  ServiceRequest,
  TableCorrection,
  TableRef,
  TableRequests,
} from '../requests/requests.ts'
import { idParams, type Routes } from './route.ts'

export const requests = {
  /** 201 for a new request; 200 if it was merged into an open one or repeats an earlier tap. */
  send: { method: 'POST', path: '/api/service-requests', body: NewServiceRequest, reply: SentReply },
  mine: { method: 'GET', path: '/api/service-requests/mine', query: TableRef, reply: TableRequests },
  cancel: {
    method: 'POST',
    path: '/api/service-requests/:id/cancel',
    params: idParams,
    /** Contains the request if it stays open because others at the table asked for it too. */
    reply: v.object({ id: Id, request: v.optional(ServiceRequest) }),
  },
  stillWaiting: {
    method: 'POST',
    path: '/api/service-requests/:id/still-waiting',
    params: idParams,
    /** `told`: whether this call reminded the crew. */
    reply: v.object({ ...RequestReply.entries, told: v.boolean() }),
  },
  /** Takes along what this device asked for at another table. `moved`: how many requests. */
  correctTable: {
    method: 'POST',
    path: '/api/service-requests/correct-table',
    body: TableCorrection,
    reply: v.object({ moved: v.number() }),
  },
} satisfies Routes
