import { invalid } from '../../../core/errors.ts'
import type { WebhookEvent } from '../../../ports/payments.ts'
import type { Secrets } from '../../../ports/secrets.ts'

const signatureToleranceMs = 300_000

type SignedEvent = { id: string; type: string; data: { object: { id: string; customer: string } } }

export type SandboxEventDependencies = {
  now: () => number
  newId: () => string
  secrets: Secrets
  /** Posts a signed event, as the real provider posts its webhooks. */
  deliver: (raw: Uint8Array, signature: string) => Promise<void>
}

/** Delivers events of these types about an object, in order. */
export type Emit = (types: string[], object: { id: string; customerId: string }) => Promise<void>

type SandboxEvents = { emit: Emit; read: (raw: Uint8Array, signature: string) => WebhookEvent }

/** Signs events, and accepts those that it signed within the last 5 minutes. */
export function createSandboxEvents(dependencies: SandboxEventDependencies): SandboxEvents {
  const { now, newId, secrets, deliver } = dependencies
  const signingKey = secrets.newToken()
  return {
    async emit(types, { id, customerId }) {
      for (const type of types) {
        const seconds = Math.floor(now() / 1000)
        const event: SignedEvent & { object: 'event'; created: number; livemode: false } = {
          id: `evt_sbx_${newId().replaceAll('-', '')}`,
          object: 'event',
          type,
          created: seconds,
          livemode: false,
          data: { object: { id, customer: customerId } },
        }
        const raw = JSON.stringify(event)
        const signature = secrets.sign(signingKey, `${seconds}.${raw}`)
        await deliver(new TextEncoder().encode(raw), `t=${seconds},v1=${signature}`)
      }
    },

    read(raw, signature) {
      const text = new TextDecoder().decode(raw)
      const [, seconds = '', signed = ''] = /^t=(\d+),v1=([\w-]+)$/u.exec(signature) ?? []
      const isOurs = secrets.equal(signed, secrets.sign(signingKey, `${seconds}.${text}`))
      if (!isOurs || now() - Number(seconds) * 1000 > signatureToleranceMs)
        throw invalid('The signature is not valid')
      const { id, type, data }: SignedEvent = JSON.parse(text)
      return { id, type, objectId: data.object.id, customerId: data.object.customer, livemode: false }
    },
  }
}
