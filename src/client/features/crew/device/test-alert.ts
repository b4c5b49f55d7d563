import { t } from '../../../lib/texts/translate.ts'

const tag = 'test'

/** Shows the crew an alert as a request would. Nothing appears where the browser or the device holds it back. */
export async function showTestAlert(): Promise<void> {
  // A second one under the same tag would take the place of the first without a sound.
  await closeTestAlert()
  const worker = await navigator.serviceWorker.getRegistration()
  await worker
    ?.showNotification('Tableside', {
      body: t('This is how a request calls you.'),
      icon: '/icon-192.png',
      badge: '/badge-96.png',
      tag,
      data: { navigate: '/waiter' },
    })
    .catch(() => undefined)
}

export async function closeTestAlert(): Promise<void> {
  const worker = await navigator.serviceWorker.getRegistration()
  for (const alert of (await worker?.getNotifications({ tag })) ?? []) alert.close()
}
