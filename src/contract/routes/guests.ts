import * as v from 'valibot'
import { Id } from '../primitives.ts'
import { NewServiceRequest, ServiceRequest, TableRef, TableRequests } from '../requests.ts'
import { idParams, type Routes } from './route.ts'

const requestReply = v.object({ request: ServiceRequest })

export const requests = {
  /** 201 for a new request; 200 if it was merged into an open one or repeats an earlier tap. */
  send: { method: 'POST', path: '/api/service-requests', body: NewServiceRequest, reply: requestReply },
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
    reply: v.object({ ...requestReply.entries, told: v.boolean() }),
  },
} satisfies Routes
