import { renderToString } from 'react-dom/server'
import type { GuestPage } from '#contract/visits.ts'
import { GuestApp } from '../features/guest/guest-app.tsx'

export const render = (page: GuestPage): string => renderToString(<GuestApp page={page} />)
