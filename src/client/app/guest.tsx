import * as v from 'valibot'
import { hydrateRoot } from 'react-dom/client'
import { GuestPage } from '#contract/visits.ts'
import { LiveChannel } from '../api/live-channel.ts'
import { GuestApp } from '../features/guest/guest-app.tsx'
import '../features/guest/guest.css'

const [root, data] = [document.getElementById('root'), document.getElementById('page')]
if (root && data) {
  const page = v.parse(GuestPage, JSON.parse(data.textContent))
  hydrateRoot(
    root,
    <GuestApp page={page} outbox={window.guestOutbox} live={new LiveChannel({ maxRetryDelayMs: 30_000 })} />,
  )
}
