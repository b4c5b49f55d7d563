import { invalid } from '../../../core/errors.ts'
import type { Secrets, WebhookEvent } from '../../../core/ports.ts'

const signatureToleranceMs = 300_000

type SignedEvent = { id: string; type: string; data: { object: { id: string; customer: string } } }

type SandboxEventDependencies = { now: () => number; newId: () => string; secrets: Secrets }

type SandboxEvents = {
  sign: (type: string, object: { id: string; customer: string }) => { raw: Uint8Array; signature: string }
  read: (raw: Uint8Array, signature: string) => WebhookEvent
}

/** Signs events, and accepts those that it signed within the last 5 minutes. */
export function createSandboxEvents({ now, newId, secrets }: SandboxEventDependencies): SandboxEvents {
  const signingKey = secrets.newToken()
  return {
    sign(type, object) {
      const seconds = Math.floor(now() / 1000)
      const event: SignedEvent & { object: 'event'; created: number; livemode: false } = {
        id: `evt_sbx_${newId().replaceAll('-', '')}`,
        object: 'event',
        type,
        created: seconds,
        livemode: false,
        data: { object },
      }
      const raw = JSON.stringify(event)
      return {
        raw: new TextEncoder().encode(raw),
        signature: `t=${seconds},v1=${secrets.sign(signingKey, `${seconds}.${raw}`)}`,
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
