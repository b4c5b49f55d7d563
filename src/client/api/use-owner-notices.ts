import type { OwnerNotice } from '#contract/recovery.ts'
import { api } from '#contract/api.ts'
import { useFreshApiQuery, useApiMutation } from './queries.ts'
import { useSession } from './session.ts'

type OwnerNoticeText = {
  id: string
  text: string
  link: { href: string; text: string }
  /** Null when it stays until the owner has followed the link. */
  dismiss: (() => void) | null
}

/** Notices for the signed-in owner; none for anybody else. */
export function useOwnerNotices(): OwnerNoticeText[] {
  const session = useSession()
  const isOwner = session.state === 'signed-in' && session.user.restaurantName !== null
  const { data = [] } = useFreshApiQuery(api.recovery.notices, isOwner ? {} : null)
  const { mutate } = useApiMutation(api.recovery.dismissNotice, api.recovery.notices)
  return data.map((notice) => ({
    id: notice.id,
    ...noticeText(notice),
    dismiss: notice.kind === 'no-recovery-codes' ? null : () => mutate({ params: { id: notice.id } }),
  }))
}

const securityLink = { href: '/security', text: 'Check your security settings.' }
const usersPath = '/admin-dashboard#users'

function noticeText({ kind, at, about }: OwnerNotice): Pick<OwnerNoticeText, 'text' | 'link'> {
  const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' }).format(at)
  switch (kind) {
    case 'manager-set-up-by-device':
      return {
        text: `Manager access was set up on ${day} by a device signed in to your restaurant. Not you?`,
        link: { href: usersPath, text: 'Change it here.' },
      }
    case 'password-reset-by-code':
      return {
        text: `Your password was reset on ${day} with a recovery code. Not you?`,
        link: securityLink,
      }
    case 'password-reset-by-link':
      return {
        text: `Your password was reset on ${day} with a link made on the server. Not you?`,
        link: securityLink,
      }
    case 'manager-password-reset':
      return {
        text: `The password of the manager “${about}” was reset on ${day} with a recovery code. Did they not do that?`,
        link: { href: usersPath, text: 'Check your managers.' },
      }
    case 'no-recovery-codes':
      return {
        text: 'If you ever forget your password, a recovery code lets you back in.',
        link: { href: '/security#recovery-codes', text: 'Save your recovery codes.' },
      }
  }
}
