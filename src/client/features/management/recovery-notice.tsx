import type { JSX } from 'react'
import { api } from '#contract/api.ts'
import { useFreshApiQuery } from '../../api/queries.ts'
import { OwnerNotices } from '../../ui/owner-notices.tsx'

/** Whose sign-in asks for a code of a phone, and who has nothing yet for the day when it is lost. */
export function RecoveryNotice(): JSX.Element | null {
  const { data: authenticator } = useFreshApiQuery(api.secondFactors.authenticator, {})
  const isOn = authenticator !== undefined && authenticator.since !== null
  const { data: codes } = useFreshApiQuery(api.recovery.codes, isOn ? {} : null)
  if (codes?.left !== 0) return null
  return <OwnerNotices notices={[notice]} />
}

const notice = {
  id: 'no-recovery-codes',
  text: 'If you ever lose your phone, a recovery code lets you in.',
  link: { href: '/security#recovery-codes', text: 'Save your recovery codes.' },
  dismiss: null,
}
