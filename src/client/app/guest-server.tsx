import { renderToString } from 'react-dom/server'
import type { GuestCardView } from '#contract/guests/guest-card.ts'
import type { GuestPage, PageLanguage } from '#contract/guests/visits.ts'
import { CardPage } from '../features/guest/card/card-page.tsx'
import * as entryStepsPart from '../features/guest/entry/entry-steps-part.tsx'
import { entrySteps } from '../features/guest/entry/entry-steps.ts'
import { GuestApp } from '../features/guest/guest-app.tsx'
import { setLanguage } from '../features/guest/language.ts'
import * as ownNeedsPart from '../features/guest/menu/own-needs-part.tsx'
import { ownNeeds } from '../features/guest/menu/own-needs.ts'
import { Unavailable } from '../features/guest/menu/unavailable.tsx'
import { PlainNotes } from '../features/guest/notes/plain-notes.tsx'
import { t } from '../lib/texts/translate.ts'

type Rendered = { title: string; html: string }

export function render(page: GuestPage): Rendered & { confirmation: string | null } {
  ownNeeds.part = ownNeedsPart
  entrySteps.part = entryStepsPart
  setLanguage(page)
  const table = page.tableNumber === null ? null : t('Table {table}', { table: page.tableNumber })
  const title = [page.restaurantName, table].filter(Boolean).join(' · ') || t('Table service')
  return { title, html: renderToString(<GuestApp page={page} />), confirmation: renderConfirmation(page) }
}

/** What the tap queue shows for a tap that is stored before the script has come. Null where nothing can be asked for. */
function renderConfirmation(page: GuestPage): string | null {
  const { tableNumber, expired, barrier, refused, sent } = page
  if (tableNumber === null || expired || (barrier ?? refused ?? sent) !== null) return null
  return renderToString(<GuestApp page={{ ...page, sent: { serviceType: 'general' } }} />)
}

export function renderNotes(page: GuestPage, draft: string | null): string {
  setLanguage(page)
  return renderToString(<PlainNotes page={page} draft={draft} />)
}

export function renderCard(
  card: GuestCardView,
  { r, t }: { r: string; t: string },
  language: PageLanguage,
): Rendered {
  setLanguage(language)
  return {
    title: card.restaurantName,
    html: renderToString(<CardPage card={card} back={{ r, t }} language={language.language} />),
  }
}

export { default as ownNeedsCss } from '../features/guest/menu/own-needs.css?inline'

export { default as cardCss } from '../features/guest/card/card-page.css?inline'

export function renderUnavailable(language: PageLanguage): Rendered {
  setLanguage(language)
  return { title: t('Table service'), html: renderToString(<Unavailable />) }
}
