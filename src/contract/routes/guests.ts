import * as v from 'valibot'
import { Id } from '../primitives.ts'
import { NewServiceRequest, ServiceRequest, TableRef, TableRequests } from '../requests.ts'
import { idParams, type Routes } from './route.ts'

const requestReply = v.object({ request: ServiceRequest })

export const requests = {
  /** 201 for a new request, 200 when it merged into an open one or repeats one. */
  send: { method: 'POST', path: '/api/service-requests', body: NewServiceRequest, reply: requestReply },
  mine: { method: 'GET', path: '/api/service-requests/mine', query: TableRef, reply: TableRequests },
  cancel: {
    method: 'POST',
    path: '/api/service-requests/:id/cancel',
    params: idParams,
    /** Carries the request when it stays because others at the table asked for it too. */
    reply: v.object({ id: Id, request: v.optional(ServiceRequest) }),
  },
  stillWaiting: {
    method: 'POST',
    path: '/api/service-requests/:id/still-waiting',
    params: idParams,
    /** `told`: this call told the crew. */
    reply: v.object({ ...requestReply.entries, told: v.boolean() }),
  },
} satisfies Routes
