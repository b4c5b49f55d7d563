import type { ServiceType } from '#contract/requests/requests.ts'
import { isPageReachable } from '../../../lib/browser/page-reachable.ts'
import { isDoubleTap } from '../../../lib/double-tap.ts'
import { afterPaint } from '../../../lib/hooks/after-paint.ts'
import { newId } from '../../../lib/new-id.ts'
import { checkVisit, visitExpiredText } from '../visit.ts'
import { createBrowserOutbox } from './browser-outbox.ts'
import { recallCodeProof, rememberCodeProof } from './guest-storage.ts'
import { watchForMissingApp } from './missing-app.ts'
import type { Tap, Outbox } from './outbox.ts'

declare global {
  interface Window {
    /** Set by the inline script of the page. */
    guestOutbox?: Outbox
    /** Reads what this device keeps, unless that was done. */
    openGuestStorage?: () => void
  }
  interface Navigator {
    /** Not in every browser. */
    connection?: { effectiveType: string }
  }
}

/**
 * Runs inline in the page, so that a tap counts before the app has loaded, and even if it never does. The app only
 * watches the outbox; it sends no taps of its own.
 */
export function startTapQueue(): Outbox {
  if (window.guestOutbox) return window.guestOutbox
  let isOpen = false
  let start = (): void => {}
  const outbox = createBrowserOutbox((whenStarted) => (start = whenStarted))
  const openStorage = (): void => {
    if (isOpen) return
    isOpen = true
    takeCodeFromUrl()
    start()
  }
  window.guestOutbox = outbox
  window.openGuestStorage = openStorage
  document.documentElement.classList.add('js', ...(isSlow() ? ['slow'] : []))
  // The first access holds up a slow phone, and the first frame needs none.
  afterPaint(openStorage)
  let isAppMissing = false
  let refused: HTMLButtonElement | null = null
  /** Without the app only the server's own page says why. */
  const tellRefusal = async (): Promise<void> => {
    if (isAppMissing && refused && (await isPageReachable())) refused.form?.requestSubmit(refused)
  }
  watchForMissingApp(outbox, () => {
    isAppMissing = true
    void tellRefusal()
  })
  let pressed: Element | null = null
  let isSecond = false
  document.addEventListener('click', ({ target, detail }) => {
    const button = target instanceof Element ? target.closest('button') : null
    // A quick second tap on a different button is intentional if the first one is still on the page.
    isSecond = isDoubleTap(detail) && pressed !== null && (pressed === button || !pressed.isConnected)
    pressed = button
    const early = target instanceof Element ? target.closest<HTMLElement>('[data-early]') : null
    if (early) early.dataset['early'] = 'tapped'
  })
  document.addEventListener('submit', (submit) => {
    const { target: form, submitter } = submit
    if (!(form instanceof HTMLFormElement) || !(submitter instanceof HTMLButtonElement)) return
    if (isAppMissing && submitter === refused) return
    if (isSecond) return submit.preventDefault()
    const data = new FormData(form)
    if (data.get('action') !== 'ask') return
    data.set(submitter.name, submitter.value)
    submit.preventDefault()
    openStorage()
    const tap = tapFromForm(data)
    submitter.dataset['tapped'] = 'sending'
    const stop = outbox.subscribe((event) => {
      if (event.tap.id !== tap.id || event.type === 'added') return
      const isSent = event.type === 'stored' && !event.closed && !event.noteCut
      if (isSent && 'tapped' in submitter.dataset) submitter.dataset['tapped'] = 'sent'
      else delete submitter.dataset['tapped']
      stop()
      if (event.type === 'refused') {
        refused = submitter
        void tellRefusal()
      }
      if (isSent) confirmEarly(submitter, event.listening)
    })
    if (checkVisit(tap, tap.at) === 'fresh') outbox.add(tap)
    else outbox.refuse(tap, 'visit_expired', visitExpiredText)
  })
  return outbox
}

/**
 * Shows the confirmation that came with the page, until the app has loaded and takes it over as it is. Only if what it
 * says about who listens is still true, and not over anything that the guest has opened.
 */
function confirmEarly({ textContent: need }: HTMLButtonElement, listening: unknown): void {
  const root = document.querySelector('#root')
  const confirmation = document.querySelector<HTMLTemplateElement>('template#confirmation')
  if (!root || !confirmation || root.querySelector('details[open]')) return
  if (listening !== 'listening' in confirmation.dataset) return
  root.replaceChildren(confirmation.content.cloneNode(true))
  const name = root.querySelector('.sent b')
  if (name) name.textContent = need
  root.querySelector('h1')?.focus({ preventScroll: true })
}

/** What the worker keeps does not come over the network. */
const isSlow = (): boolean =>
  !navigator.serviceWorker?.controller && (navigator.connection?.effectiveType ?? '4g') !== '4g'

function tapFromForm(form: FormData): Tap {
  const at = Date.now()
  const field = (name: string): string | null => {
    const value = form.get(name)
    return typeof value === 'string' ? value : null
  }
  const serviceType = field('serviceType') ?? ''
  const [restaurantId, tableNumber] = [field('r') ?? '', field('t') ?? '']
  return {
    id: newId(at),
    restaurantId,
    tableNumber,
    serviceType: isServiceType(serviceType) ? serviceType : 'general',
    need: field('need') ?? undefined,
    choice: field('choice') ?? undefined,
    note: field('note') || undefined,
    k: field('k') ?? recallCodeProof(restaurantId, tableNumber),
    at,
  }
}

/** The server turns an unknown type into a plain call. */
const isServiceType = (value: string): value is ServiceType => value !== ''

/** The proof of the code moves from the address bar, where it could be copied and shared, to the device. */
function takeCodeFromUrl(): void {
  const url = new URL(location.href)
  const param = (name: string): string => url.searchParams.get(name)?.trim() ?? ''
  if (!url.searchParams.has('k')) return
  // The address that corrects a table has the code of the wrong one.
  if (param('r') !== '' && param('from') === '') rememberCodeProof(param('r'), param('t'), param('k'))
  url.searchParams.delete('k')
  history.replaceState(history.state, '', url)
}
