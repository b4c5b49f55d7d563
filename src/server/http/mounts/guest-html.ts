import type { GuestCardView } from '#contract/guests/guest-card.ts'
import type { GuestFields, GuestPage, PageLanguage } from '#contract/guests/visits.ts'
import { isRightToLeft } from '#contract/texts/languages.ts'
import { packTexts } from '#contract/texts/text-key.ts'

type Rendered = { title: string; html: string }

/** The names in the link, by which the device also keeps what belongs to a visit. */
type NamedTable = Pick<GuestFields, 'r' | 't'>

/** The built guest page. */
export type GuestBundle = {
  /** Renders the content of `#root`, which the script then takes over, and what a tap before that is confirmed with. */
  render: (page: GuestPage) => Rendered & { confirmation: string | null }
  /** Without a script: what the guest wrote to the manager, and the way to a form, or the form with the draft in it. */
  renderNotes: (page: GuestPage, draft: string | null) => string
  renderCard: (card: GuestCardView, named: NamedTable, language: PageLanguage) => Rendered
  /** For when not even the table can be looked up. */
  renderUnavailable: (language: PageLanguage) => Rendered
  /** All of these are inlined. */
  css: string
  tapQueue: string
  cardCss: string
  cardScript: string
  /** Only for restaurants that arranged their needs. */
  ownNeedsCss: string
  /** The scripts' URLs. */
  script: string
  ownNeedsScript: string
  /** For a page without a table. */
  entryScript: string
}

/** Without a script: how long "Request Sent!" stays, and how often the page reloads, in seconds. */
const refreshSeconds = { sent: 3, menu: 20 }

type PageOptions = {
  /** The address of the guest's table, or null while the table is unknown or the guest is writing. */
  menu: string | null
  /** The note to the manager that a guest is writing without JavaScript; otherwise null. */
  draft: string | null
}

export function renderGuestHtml(bundle: GuestBundle, page: GuestPage, { menu, draft }: PageOptions): string {
  const { title, html, confirmation } = bundle.render(page)
  const { texts, ...sent } = page
  const seconds = page.sent ? refreshSeconds.sent : refreshSeconds.menu
  return `${documentHead(page, title, ', viewport-fit=cover, interactive-widget=resizes-content')}
<meta name="theme-color" content="#140e0a">
${moduleScript(bundle.script)}${page.needs ? moduleScript(bundle.ownNeedsScript) : ''}${
    page.tableNumber === null ? moduleScript(bundle.entryScript) : ''
  }<style>${bundle.css}</style>
${page.needs ? `<style>${bundle.ownNeedsCss}</style>\n` : ''}<script>${bundle.tapQueue}</script>
${menu === null ? '' : `<noscript>${refreshMeta(seconds, removeSentParameter(menu))}</noscript>`}
</head>
<body>
<div id="root">${html}</div>
${
  confirmation === null
    ? ''
    : `<template id="confirmation"${page.listening ? ' data-listening' : ''}>${confirmation}</template>
`
}${
    page.notes
      ? `<noscript>${bundle.renderNotes(page, draft)}</noscript>
`
      : ''
  }<script type="application/json" id="page">${jsonForScript({ ...sent, packed: packTexts(texts) })}</script>
</body>
</html>
`
}

export function renderCardHtml(
  bundle: GuestBundle,
  card: GuestCardView,
  named: NamedTable,
  language: PageLanguage,
): string {
  const { title, html } = bundle.renderCard(card, named, language)
  return `${documentHead(language, title, ', viewport-fit=cover')}
<meta name="theme-color" content="#140e0a">
<style>${bundle.css}</style>
<style>${bundle.cardCss}</style>
</head>
<body>
<div id="root">${html}</div>
<script>${bundle.cardScript}</script>
</body>
</html>
`
}

/** Reloads by itself. */
export function renderUnavailableHtml(
  bundle: Pick<GuestBundle, 'css' | 'renderUnavailable'>,
  language: PageLanguage,
  address: string,
): string {
  const { title, html } = bundle.renderUnavailable(language)
  return `${documentHead(language, title)}
<style>${bundle.css}</style>
${refreshMeta(5, address)}
</head>
<body>
<div id="root">${html}</div>
</body>
</html>
`
}

const documentHead = (
  { language }: PageLanguage,
  title: string,
  moreViewport = '',
): string => `<!doctype html>
<html lang="${escapeHtml(language)}"${isRightToLeft(language) ? ' dir="rtl"' : ''}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1${moreViewport}">
<meta name="color-scheme" content="dark">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(title)}">
<link rel="icon" href="data:,">`

const moduleScript = (script: string): string =>
  `<script type="module" src="${escapeHtml(script)}"></script>\n`

const refreshMeta = (seconds: number, address: string): string =>
  `<meta http-equiv="refresh" content="${seconds};url=${escapeHtml(address)}">`

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? '')

/** Without "<" the text cannot end the script or start a comment. */
const jsonForScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c')

const removeSentParameter = (address: string): string => address.replace(/&sent=[^&]*$/, '')
