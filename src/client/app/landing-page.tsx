import type { JSX } from 'react'
import { TryDemo } from '../features/accounts/try-demo.tsx'
import { Landing } from '../features/landing/landing.tsx'
import { offersDemo } from '../lib/browser/page-settings.ts'

export const LandingPage = (): JSX.Element => <Landing tryDemo={offersDemo() && <TryDemo />} />
