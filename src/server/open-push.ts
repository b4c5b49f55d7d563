import { newPushKeys, type PrivatePushService, type PushKeys, webPush } from './adapters/web-push.ts'
import type { Config } from './config.ts'
import type { Push } from './core/ports.ts'
import { keptSetting } from './kept-setting.ts'
import type { Database } from './storage/types.ts'

/** Browsers subscribe with the installation's own key, so it is made once and kept. */
export async function openPush(
  { publicUrl }: Config,
  db: Database,
  trust: PrivatePushService | undefined,
): Promise<Push> {
  const keys: PushKeys = JSON.parse(await keptSetting(db, 'push-keys', () => JSON.stringify(newPushKeys())))
  const subject = publicUrl.startsWith('https:')
    ? publicUrl
    : `mailto:tableside@${new URL(publicUrl).hostname}`
  return webPush({ keys, subject, trust })
}
