import type { GuestPage } from '#contract/visits.ts'

/** What the build made of the guest page. */
export type GuestBundle = {
  /** What stands in `#root`, which the script then takes over. */
  render: (page: GuestPage) => string
  /** Both stand in the page itself. */
  css: string
  tapQueue: string
  /** The app's URL. */
  script: string
}

/** In seconds: how long "Request Sent!" stands, and how old the states may get, where no script runs. */
const refreshSeconds = { sent: 3, menu: 20 }

/** `menu`: the address of the guest's table; null while there is none. */
export function renderGuestHtml(bundle: GuestBundle, page: GuestPage, menu: string | null): string {
  const title = [page.restaurantName, page.tableNumber && `Table ${page.tableNumber}`]
  const seconds = page.sent ? refreshSeconds.sent : refreshSeconds.menu
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content">
<meta name="color-scheme" content="dark">
<meta name="theme-color" content="#140e0a">
<title>${escapeHtml(title.filter(Boolean).join(' · ') || 'Table service')}</title>
<link rel="icon" href="data:,">
<style>${bundle.css}</style>
<script>${bundle.tapQueue}</script>
<script type="module" src="${escapeHtml(bundle.script)}"></script>
${menu === null ? '' : `<noscript><meta http-equiv="refresh" content="${seconds};url=${escapeHtml(removeSentParameter(menu))}"></noscript>`}
</head>
<body>
<div id="root">${bundle.render(page)}</div>
<script type="application/json" id="page">${jsonForScript(page)}</script>
</body>
</html>
`
}

/** Where not even the table is known: it says so, and looks again by itself. */
export const renderUnavailableHtml = (
  { css }: Pick<GuestBundle, 'css'>,
  address: string,
): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark">
<title>Table service</title>
<link rel="icon" href="data:,">
<style>${css}</style>
<meta http-equiv="refresh" content="5;url=${escapeHtml(address)}">
</head>
<body>
<div id="root"><main><h1>We can't reach the restaurant right now</h1>
<p class="offline">Please wave to your waiter. This page tries again by itself.</p></main></div>
</body>
</html>
`

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? '')

/** No "<" can end the script or begin a comment in it. */
const jsonForScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c')

const removeSentParameter = (address: string): string => address.replace(/&sent=[^&]*$/, '')
