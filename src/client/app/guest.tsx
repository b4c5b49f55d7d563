import { hydrateRoot } from 'react-dom/client'
import type { GuestPage } from '#contract/guests/visits.ts'
import type { Translation } from '#contract/texts/catalogue.ts'
import { type PackedTexts, unpackTexts } from '#contract/texts/text-key.ts'
import { entrySteps } from '../features/guest/entry/entry-steps.ts'
import { GuestApp } from '../features/guest/guest-app.tsx'
import { setLanguage } from '../features/guest/language.ts'
import { ownNeeds } from '../features/guest/menu/own-needs.ts'
import { GuestChannel } from '../features/guest/requests/guest-channel.ts'
import { findAnswered } from '../features/guest/use-guest.ts'
import { afterPaint } from '../lib/hooks/after-paint.ts'
import '../features/guest/guest.css'

/** Its texts come packed. */
type SentPage = GuestPage & { packed: PackedTexts<Translation> }

const answerWaitMs = 500

/** A tap made before the script arrived is often answered right after. Hydrating first would delay its confirmation. */
const firstAnswer = (): Promise<void> =>
  new Promise((resolve) => {
    const { guestOutbox } = window
    setTimeout(resolve, answerWaitMs)
    if (document.querySelector('.sent')) return afterPaint(resolve)
    if (!guestOutbox?.waiting().length) return resolve()
    guestOutbox.subscribe(({ type }) => type !== 'added' && afterPaint(resolve))
  })

const [root, data] = [document.getElementById('root'), document.getElementById('page')]
if (root && data) {
  const page: SentPage = JSON.parse(data.textContent)
  page.texts = unpackTexts(page.packed)
  if (page.kept !== undefined) page.now = Date.now() + page.kept
  setLanguage(page)
  window.openGuestStorage?.()
  ownNeeds.load = async () => {
    if (ownNeeds.part) return
    const part = await import('../features/guest/menu/own-needs-part.tsx').catch(() => undefined)
    if (!page.needs) await part?.addStyles()
    ownNeeds.part = part
  }
  entrySteps.load = async () => {
    entrySteps.part ??= await import('../features/guest/entry/entry-steps-part.tsx').catch(() => undefined)
  }
  const hydrate = (): void => {
    // From now on the app confirms.
    document.querySelector('#confirmation')?.remove()
    const sent = (root.querySelector('.sent') && findAnswered(window.guestOutbox, page)) ?? page.sent
    hydrateRoot(
      root,
      <GuestApp page={{ ...page, sent }} outbox={window.guestOutbox} live={new GuestChannel()} />,
    )
  }
  // Where that cannot be loaded, the server's plain form stays.
  if (page.tableNumber === null) void entrySteps.load().then(() => entrySteps.part && hydrate())
  else {
    // A page that was kept has to ask what is true.
    const answer = page.kept === undefined && firstAnswer()
    void Promise.all([page.needs && ownNeeds.load(), answer]).then(hydrate)
  }
  // Not before the first request is through: it would share a slow connection with it.
  const keepPage = () => void import('../features/guest/card/keep-page.ts').then((part) => part.keepPage())
  window.guestOutbox?.subscribe(({ type }) => type === 'stored' && afterPaint(keepPage))
  setTimeout(keepPage, 10_000)
}
