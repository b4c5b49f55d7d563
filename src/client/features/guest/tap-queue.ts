import type { ServiceType } from '#contract/requests.ts'
import { createBrowserOutbox } from './browser-outbox.ts'
import { recallCodeProof, rememberCodeProof } from './guest-storage.ts'
import { isDoubleTap } from '../../lib/double-tap.ts'
import { newId } from '../../lib/new-id.ts'
import { type Tap, type Outbox, visitExpiredText } from './outbox.ts'
import { checkVisit } from './visit.ts'

declare global {
  interface Window {
    /** Set by the script that stands in the page itself. */
    guestOutbox?: Outbox
  }
}

/**
 * Stands in the page itself, so that a tap counts before the app arrives, and even if it never does.
 * The app only watches the outbox; it sends nothing on its own.
 */
export function startTapQueue(): Outbox {
  if (window.guestOutbox) return window.guestOutbox
  const outbox = createBrowserOutbox()
  window.guestOutbox = outbox
  document.documentElement.classList.add('js')
  takeCodeFromUrl()
  let pressed: Element | null = null
  let isSecond = false
  document.addEventListener('click', ({ target, detail }) => {
    const button = target instanceof Element ? target.closest('button') : null
    // After a tap beside a button, or on another one that is still there, this one is meant.
    isSecond = isDoubleTap(detail) && pressed !== null && (pressed === button || !pressed.isConnected)
    pressed = button
    const early = target instanceof Element ? target.closest<HTMLElement>('[data-early]') : null
    if (early) early.dataset['early'] = 'tapped'
  })
  document.addEventListener('submit', (event) => {
    const { target: form, submitter } = event
    if (!(form instanceof HTMLFormElement) || !(submitter instanceof HTMLButtonElement)) return
    if (submitter.name !== 'serviceType') return
    event.preventDefault()
    if (isSecond) return
    const ask = tapFromForm(new FormData(form), submitter.value)
    submitter.dataset['tapped'] = 'sending'
    const stop = outbox.subscribe((told) => {
      if (told.tap.id !== ask.id || told.type === 'added') return
      if (told.type === 'stored' && 'tapped' in submitter.dataset) submitter.dataset['tapped'] = 'sent'
      else delete submitter.dataset['tapped']
      stop()
    })
    if (checkVisit(ask, ask.at) === 'fresh') outbox.add(ask)
    else outbox.refuse(ask, 'visit_expired', visitExpiredText)
  })
  return outbox
}

function tapFromForm(form: FormData, serviceType: string): Tap {
  const at = Date.now()
  const field = (name: string): string | null => {
    const value = form.get(name)
    return typeof value === 'string' ? value : null
  }
  const [restaurantId, tableNumber] = [field('r') ?? '', field('t') ?? '']
  return {
    id: newId(at),
    restaurantId,
    tableNumber,
    serviceType: isServiceType(serviceType) ? serviceType : 'general',
    k: field('k') ?? recallCodeProof(restaurantId, tableNumber),
    at,
  }
}

/** What a button of ours says; anything else the server turns into a plain call. */
const isServiceType = (value: string): value is ServiceType => value !== ''

/** The code's proof is kept on the device and leaves the address bar, where it would be copied and shared. */
function takeCodeFromUrl(): void {
  const url = new URL(location.href)
  const given = (name: string): string => url.searchParams.get(name)?.trim() ?? ''
  if (!url.searchParams.has('k')) return
  if (given('r') !== '') rememberCodeProof(given('r'), given('t'), given('k'))
  url.searchParams.delete('k')
  history.replaceState(history.state, '', url)
}
