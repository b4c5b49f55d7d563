import { secondMs } from '#contract/durations.ts'
import type { WebhookType } from '#contract/outside/webhooks.ts'
import type { DeliveryOutcome } from '../../ports/outbound.ts'
import type { OutsideChannel } from '../../storage/outside/outside-channels.ts'
import type { OutsideEvent } from '../../storage/outside/outside-events.ts'
import { needLabel } from '../../storage/requests/asked-need.ts'
import { presentTable, type RequestRow } from '../../storage/requests/requests.ts'
import type { Ctx } from '../ctx.ts'
import { formatDuration } from '../errors.ts'

export type OutsideMessage = {
  /** Receivers recognize a repeat by it. */
  id: string
  type: WebhookType
  /** When it became due, in every attempt. */
  at: number
  title: string
  lines: string[]
  data: Record<string, string | number | null>
}

type Occasion = { id: string; at: number; restaurantName: string }

/** Nothing about the guest: where, what and since when. */
export function unansweredMessage(
  row: RequestRow,
  { id, at, restaurantName }: Occasion,
  now: number,
): OutsideMessage {
  const { createdAt } = row
  const tableNumber = presentTable(row)
  const service = needLabel(row)
  return {
    id,
    type: 'request.unanswered',
    at,
    title: `${restaurantName}: Table ${tableNumber} is still waiting`,
    lines: [`${service}, for ${formatDuration(now - createdAt)} already. Nobody has answered.`],
    data: {
      restaurant: restaurantName,
      table: tableNumber,
      service,
      waitingSince: new Date(createdAt).toISOString(),
      // Not below zero after a server's clock was set back.
      waitingSeconds: Math.max(0, Math.floor((at - createdAt) / secondMs)),
    },
  }
}

/** Only webhooks are told what happens. */
export const eventMessage = ({ id, type, at, data }: OutsideEvent): OutsideMessage => ({
  id,
  type,
  at,
  title: '',
  lines: [],
  data: JSON.parse(data),
})

export const testMessage = ({ id, at, restaurantName }: Occasion): OutsideMessage => ({
  id,
  type: 'test',
  at,
  title: `${restaurantName}: test`,
  lines: ['This is a test. Alerts that nobody answers come here.'],
  data: { restaurant: restaurantName },
})

export async function sendOutside(
  ctx: Ctx,
  channel: OutsideChannel,
  message: OutsideMessage,
): Promise<DeliveryOutcome> {
  return senders[channel.kind](ctx, channel, message)
}

type Send = (ctx: Ctx, channel: OutsideChannel, message: OutsideMessage) => Promise<DeliveryOutcome>

const managementLink = (ctx: Ctx): string => `${ctx.settings.publicUrl}/management-dashboard`

const sendMail: Send = async (ctx, { address }, { id, title, lines }) => {
  if (ctx.mail === null) return { problem: 'This server sends no email any more' }
  const text = [...lines, '', managementLink(ctx)].join('\n')
  return ctx.mail.send({ id, to: address, subject: title, text })
}

/** As JSON, because headers could not carry every restaurant's name. */
const sendNtfy: Send = async (ctx, { address, secret }, { type, title, lines }) => {
  const url = new URL(address)
  const body = JSON.stringify({
    topic: url.pathname.slice(1),
    title,
    message: lines.join('\n'),
    priority: type === 'test' ? 3 : 5,
    tags: ['bell'],
    click: managementLink(ctx),
  })
  const headers = {
    'content-type': 'application/json',
    ...(secret !== null && { authorization: `Bearer ${secret}` }),
  }
  return ctx.outbound.post(new URL('/', url), { headers, body })
}

/** https://www.standardwebhooks.com */
const sendWebhook: Send = async (ctx, { address, secret }, { id, type, at, data }) => {
  const body = JSON.stringify({
    type,
    timestamp: new Date(at).toISOString(),
    data: { ...data, link: managementLink(ctx) },
  })
  const timestamp = String(Math.floor(ctx.now() / secondMs))
  const key = Buffer.from((secret ?? '').replace(/^whsec_/u, ''), 'base64')
  const signature = ctx.secrets.hmacSha256(key, `${id}.${timestamp}.${body}`).toString('base64')
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
  return ctx.outbound.post(new URL(address), { headers, body })
}

const senders: Record<OutsideChannel['kind'], Send> = {
  email: sendMail,
  ntfy: sendNtfy,
  webhook: sendWebhook,
}
