import type { JSX, ReactNode } from 'react'
import { Link } from 'wouter'
import { t } from '../../../lib/texts/translate.ts'

/** The link on the login screens. Crews read it, too. */
export function ForgotPasswordLink({ manager = false }: { manager?: boolean }): JSX.Element {
  const path = `/forgot-password${manager ? '?for=manager' : ''}`
  return (
    <p className="text-center">
      <TextLink href={path}>{t('Forgot password?')}</TextLink>
    </p>
  )
}

export function TextLink({ href, children }: { href: string; children: ReactNode }): JSX.Element {
  return (
    <Link href={href} className="font-semibold text-action underline">
      {children}
    </Link>
  )
}
