import { type JSX, useEffect } from 'react'
import { useSignInRedirect } from '../features/owner/use-sign-in-redirect.ts'
import { LandingPage } from './landing-page.tsx'

/** An owner's page while nobody is signed in: the landing page for a moment, then the sign-in. */
export function RedirectToSignIn(): JSX.Element {
  const redirectToSignIn = useSignInRedirect()
  useEffect(redirectToSignIn, [redirectToSignIn])
  return <LandingPage />
}
