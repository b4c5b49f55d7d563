import * as inbox from '../../core/billing/webhook-inbox.ts'
import type { Ctx } from '../../core/ctx.ts'
import { Refusal } from '../../core/errors.ts'
import type { HttpServer } from '../server.ts'

/** Receives Stripe's webhooks. The signature covers the raw bytes, so the body is not parsed as JSON. */
export function mountStripeWebhook(server: HttpServer, ctx: Ctx): void {
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    )
    scope.route<{ Body: Buffer }>({
      method: 'POST',
      url: '/api/webhooks/stripe',
      config: { signedBySender: true },
      onRequest: async () => {
        const isStripe = ctx.settings.billing && ctx.payments.provider === 'stripe'
        if (!isStripe) throw new Refusal('not_found', 'Not found')
      },
      handler: async (request) => {
        const signature = request.headers['stripe-signature']
        await inbox.receiveWebhook(ctx, request.body, typeof signature === 'string' ? signature : '')
        return { received: true }
      },
    })
  })
}
