import { newPushKeys, type PrivatePushService, type PushKeys, webPush } from './adapters/web-push.ts'
import type { Config } from './config.ts'
import type { Push } from './core/push.ts'
import type { Database } from './storage/database.ts'
import * as settings from './storage/settings.ts'

const setting = 'push-keys'

/** Browsers subscribe with the installation's own key, so it is made once and kept. */
export async function openPush(
  { publicUrl }: Config,
  db: Database,
  trust: PrivatePushService | undefined,
): Promise<Push> {
  const kept =
    (await settings.get(db.reader, setting)) ??
    (await db.transact((inside) => settings.keep(inside, setting, JSON.stringify(newPushKeys()))))
  const keys: PushKeys = JSON.parse(kept)
  const subject = publicUrl.startsWith('https:')
    ? publicUrl
    : `mailto:tableside@${new URL(publicUrl).hostname}`
  return webPush({ keys, subject, trust })
}
