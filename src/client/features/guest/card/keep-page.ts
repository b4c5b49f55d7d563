import { replaceIdleWorker } from '../../../lib/browser/new-worker.ts'
import { trustScriptUrl } from '../../../lib/browser/script-url.ts'

let registering: Promise<unknown> | undefined

/** From now on the page opens at once at this table. Where that is impossible, it opens as before. */
export function keepPage(): void {
  registering ??= Promise.resolve()
    .then(() => navigator.serviceWorker.register(trustScriptUrl('/guest-worker.js'), { scope: '/customer' }))
    .then(replaceIdleWorker)
    .catch(() => undefined)
}
