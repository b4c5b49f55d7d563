import type { Page } from 'playwright-core'

/**
 * Replaces https://js.stripe.com in the browser. It records which functions we call with which arguments, which
 * does not test Stripe.js itself. Its card field takes the name of a test card.
 */
function fakeStripeJs(bank: (what: string, card: string) => Promise<BankAnswer>): void {
  const seen: unknown[] = []
  function Stripe(key: string) {
    let box: HTMLInputElement | null = null
    let secret = ''
    const on = new Map<string, () => void>()
    const unused = (): never => {
      throw new Error('Not implemented by the fake Stripe.js')
    }
    const element = {
      mount(container: HTMLElement) {
        box = document.createElement('input')
        box.setAttribute('aria-label', 'Card at Stripe')
        box.style.minHeight = '44px'
        container.append(box)
        queueMicrotask(() => on.get('ready')?.())
      },
      on: (event: string, listener: () => void) => on.set(event, listener),
      off: (event: string) => on.delete(event),
      update: () => {},
      destroy: () => box?.remove(),
    }
    return {
      version: 'endive',
      elements(options: { clientSecret: string }) {
        secret = options.clientSecret
        seen.push(['elements', key, Object.keys(options)])
        return {
          create: (type: string) => {
            seen.push(['create', type])
            return element
          },
          update: () => {},
        }
      },
      createToken: unused,
      createPaymentMethod: unused,
      confirmCardPayment: unused,
      async confirmSetup(options: { redirect: string; confirmParams: { return_url: string } }) {
        seen.push(['confirmSetup', options.redirect, options.confirmParams])
        const id = secret.split('_secret_')[0] ?? ''
        const card = box?.value ?? ''
        const answer = await bank(`setup ${id}`, card)
        if (card.startsWith('redirect')) {
          const url = new URL(options.confirmParams.return_url)
          url.searchParams.set('setup_intent', id)
          url.searchParams.set('setup_intent_client_secret', secret)
          url.searchParams.set('redirect_status', answer.problem ? 'failed' : 'succeeded')
          location.assign(url)
          return await new Promise(() => {})
        }
        if (answer.problem) return { error: { message: answer.problem } }
        return { setupIntent: { id, status: answer.status } }
      },
      async retrievePaymentIntent(clientSecret: string) {
        seen.push(['retrievePaymentIntent', clientSecret.startsWith('pi_')])
        return { paymentIntent: { status: 'requires_action' } }
      },
      async handleNextAction({ clientSecret }: { clientSecret: string }) {
        seen.push(['handleNextAction', clientSecret.startsWith('pi_')])
        const { problem } = await bank(`charge ${clientSecret}`, '')
        return problem ? { error: { message: problem } } : { paymentIntent: { status: 'succeeded' } }
      },
    }
  }
  Object.assign(window, { Stripe, stripeSeen: seen })
}

type BankAnswer = { status?: string; problem?: string }

/** Serves the fake script; `bank` decides about every card entered and every charge to be approved. */
export async function serveFakeStripeJs(
  page: Page,
  bank: (what: string, card: string) => BankAnswer,
): Promise<{ loads: string[] }> {
  const loads: string[] = []
  await page.exposeFunction('stripeBank', bank)
  await page.context().route('https://js.stripe.com/**', async (route) => {
    loads.push(new URL(page.url()).pathname)
    await route.fulfill({ contentType: 'text/javascript', body: `(${fakeStripeJs.toString()})(stripeBank)` })
  })
  return { loads }
}
