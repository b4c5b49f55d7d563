import {
  generatePushKeys,
  type PrivatePushService,
  type PushKeys,
  createWebPush,
} from './adapters/push/web-push.ts'
import type { Config } from './config.ts'
import type { PushSender } from './core/ports.ts'
import { getOrCreateSetting } from './installation-setting.ts'
import type { Database } from './storage/engine/types.ts'

/** Browsers subscribe with the installation's own key, so it is made once and kept. */
export async function createPush(
  { publicUrl }: Config,
  db: Database,
  trust: PrivatePushService | undefined,
): Promise<PushSender> {
  const keys: PushKeys = JSON.parse(
    await getOrCreateSetting(db, 'push-keys', () => JSON.stringify(generatePushKeys())),
  )
  const subject = publicUrl.startsWith('https:')
    ? publicUrl
    : `mailto:tableside@${new URL(publicUrl).hostname}`
  return createWebPush({ keys, subject, privateService: trust })
}
