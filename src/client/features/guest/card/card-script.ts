import { afterPaint } from '../../../lib/hooks/after-paint.ts'
import { keepPage } from './keep-page.ts'

/** Inlined into the guest card, which is complete without it. */
export function startCard(): void {
  enableCopying()
  // A guest may look at the Wi-Fi before asking for anything, and then lose the connection.
  addEventListener('load', () => afterPaint(keepPage))
}

function enableCopying(): void {
  const button = document.querySelector<HTMLButtonElement>('button[data-copied]')
  // Browsers have no clipboard on a page that is not encrypted.
  if (!button || !('clipboard' in navigator)) return
  button.hidden = false
  button.addEventListener('click', () => {
    void navigator.clipboard.writeText(button.value).then(() => {
      const status = button.nextElementSibling
      if (status) status.textContent = button.dataset['copied'] ?? ''
    })
  })
}
