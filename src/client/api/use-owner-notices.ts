import { useEffect } from 'react'
import type { EndedSecondFactors, OwnerNotice } from '#contract/accounts/recovery.ts'
import { api } from '#contract/api.ts'
import { t } from '../lib/texts/translate.ts'
import { formatDate, formatTime } from '../lib/time/dates.ts'
import { useApiCache, useApiMutation, useFreshApiQuery } from './queries.ts'
import { useSession } from './session.ts'

type OwnerNoticeText = {
  id: string
  text: string
  link: { href: string; text: string }
  /** Null when it stays until the owner has followed the link. */
  dismiss: (() => void) | null
  /** Nothing has happened. */
  isAdvice: boolean
}

/** Notices for the signed-in owner; none for anybody else. */
export const useOwnerNotices = (): OwnerNoticeText[] => useLoadedOwnerNotices().notices

export function useLoadedOwnerNotices(): { notices: OwnerNoticeText[]; isLoaded: boolean } {
  const session = useSession()
  const isOwner = session.state === 'signed-in' && session.user.restaurantName !== null
  const { data = [], isFetched } = useFreshApiQuery(api.recovery.notices, isOwner ? {} : null)
  useDemoEnd(data.find(({ kind }) => kind === 'demo')?.at ?? null)
  const { mutate } = useApiMutation(api.recovery.dismissNotice, api.recovery.notices)
  const notices = data.map((notice) => ({
    id: notice.id,
    ...noticeText(notice),
    dismiss: stayingNotices.has(notice.kind) ? null : () => mutate({ params: { id: notice.id } }),
    isAdvice: notice.kind === 'no-recovery-codes',
  }))
  return { notices, isLoaded: isFetched || !isOwner }
}

/** A page that stays open says by itself that its demo is over: it asks who is signed in. */
function useDemoEnd(endsAt: number | null): void {
  const { invalidate } = useApiCache()
  useEffect(() => {
    if (endsAt === null) return undefined
    const timer = setInterval(() => {
      if (Date.now() >= endsAt) void invalidate(api.accounts.currentUser)
    }, 30_000)
    return () => clearInterval(timer)
  }, [endsAt, invalidate])
}

/** Until what they say is no longer so. */
const stayingNotices: ReadonlySet<OwnerNotice['kind']> = new Set(['no-recovery-codes', 'demo'])

const securityLink = () => ({ href: '/security', text: t('Check your security settings.') })
const usersPath = '/admin-dashboard/people'

/** By what the link ended besides the password. */
const resetByLinkTexts: Record<string, string> & { nothing: string } = {
  nothing: 'Your password was reset on {day} with a link made on the server. Not you?',
  authenticator:
    'Your password was reset on {day} with a link made on the server, which also turned off your authenticator app. Not you?',
  passkeys:
    'Your password was reset on {day} with a link made on the server, which also removed your passkeys. Not you?',
  'authenticator-and-passkeys':
    'Your password was reset on {day} with a link made on the server, which also turned off your authenticator app and removed your passkeys. Not you?',
} satisfies Record<EndedSecondFactors | 'nothing', string>

function noticeText({ kind, at, about }: OwnerNotice): Pick<OwnerNoticeText, 'text' | 'link'> {
  // Slow, and not every notice has one.
  const day = (): string => formatDate(at, { dateStyle: 'long' })
  switch (kind) {
    case 'manager-set-up-by-device':
      return {
        text: t('Manager access was set up on {day} by a device signed in to your restaurant. Not you?', {
          day: day(),
        }),
        link: { href: usersPath, text: t('Change it here.') },
      }
    case 'password-reset-by-code':
      return {
        text: t('Your password was reset on {day} with a recovery code. Not you?', { day: day() }),
        link: securityLink(),
      }
    case 'password-reset-by-link':
      return {
        text: t(resetByLinkTexts[about ?? 'nothing'] ?? resetByLinkTexts.nothing, { day: day() }),
        link: securityLink(),
      }
    case 'password-reset-by-email':
      return {
        text: t('Your password was reset on {day} with a link from an email. Not you?', { day: day() }),
        link: securityLink(),
      }
    case 'email-changed':
      return {
        text: t('Your email address was changed on {day}. Not you?', { day: day() }),
        link: securityLink(),
      }
    case 'manager-password-reset':
      return {
        text: t(
          'The password of the manager “{name}” was reset on {day} with a recovery code. Did they not do that?',
          { day: day(), name: about ?? '' },
        ),
        link: { href: usersPath, text: t('Check your managers.') },
      }
    case 'demo':
      return {
        text: t('This is a demo restaurant of your own. It is erased at {time}.', { time: formatTime(at) }),
        link: { href: '/restaurant-signup', text: t('Create one that stays.') },
      }
    case 'no-recovery-codes':
      return {
        text: t('If you ever forget your password, a recovery code lets you back in.'),
        link: { href: '/security#recovery-codes', text: t('Save your recovery codes.') },
      }
  }
}
