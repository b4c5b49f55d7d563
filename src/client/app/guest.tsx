import { hydrateRoot } from 'react-dom/client'
import type { GuestPage } from '#contract/guests/visits.ts'
import { entrySteps } from '../features/guest/entry/entry-steps.ts'
import { GuestApp } from '../features/guest/guest-app.tsx'
import { GuestChannel } from '../features/guest/requests/guest-channel.ts'
import { setLanguage } from '../features/guest/language.ts'
import { ownNeeds } from '../features/guest/menu/own-needs.ts'
import '../features/guest/guest.css'

const [root, data] = [document.getElementById('root'), document.getElementById('page')]
if (root && data) {
  const page: GuestPage = JSON.parse(data.textContent)
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
    entrySteps.part ??= await import('../features/guest/entry/entry-steps-part.ts').catch(() => undefined)
  }
  const hydrate = () =>
    void hydrateRoot(root, <GuestApp page={page} outbox={window.guestOutbox} live={new GuestChannel()} />)
  // Where that cannot be loaded, the server's plain form stays.
  if (page.tableNumber === null) void entrySteps.load().then(() => entrySteps.part && hydrate())
  else if (page.needs) void ownNeeds.load().then(hydrate)
  else hydrate()
  // Not before the first request is through: it would share a slow connection with it.
  const keepPage = () => void import('../features/guest/card/keep-page.ts').then((part) => part.keepPage())
  window.guestOutbox?.subscribe(({ type }) => type === 'stored' && keepPage())
  setTimeout(keepPage, 10_000)
}
