import type { GuestPage } from '#contract/visits.ts'

/** The built guest page. */
export type GuestBundle = {
  /** Renders the content of `#root`, which the script then takes over. */
  render: (page: GuestPage) => string
  /** Both are inlined. */
  css: string
  tapQueue: string
  /** The script's URL. */
  script: string
}

/** Without a script: how long "Request Sent!" stays, and how often the page reloads, in seconds. */
const refreshSeconds = { sent: 3, menu: 20 }

/** `menu` is the address of the guest's table, or null while the table is unknown. */
export function renderGuestHtml(bundle: GuestBundle, page: GuestPage, menu: string | null): string {
  const title = [page.restaurantName, page.tableNumber && `Table ${page.tableNumber}`]
  const seconds = page.sent ? refreshSeconds.sent : refreshSeconds.menu
  return `${documentHead(
    title.filter(Boolean).join(' · ') || 'Table service',
    ', viewport-fit=cover, interactive-widget=resizes-content',
  )}
<meta name="theme-color" content="#140e0a">
<style>${bundle.css}</style>
<script>${bundle.tapQueue}</script>
<script type="module" src="${escapeHtml(bundle.script)}"></script>
${menu === null ? '' : `<noscript>${refreshMeta(seconds, removeSentParameter(menu))}</noscript>`}
</head>
<body>
<div id="root">${bundle.render(page)}</div>
<script type="application/json" id="page">${jsonForScript(page)}</script>
</body>
</html>
`
}

/** Shown when not even the table can be looked up. Reloads by itself. */
export const renderUnavailableHtml = (
  { css }: Pick<GuestBundle, 'css'>,
  address: string,
): string => `${documentHead('Table service')}
<style>${css}</style>
${refreshMeta(5, address)}
</head>
<body>
<div id="root"><main><h1>We can't reach the restaurant right now</h1>
<p class="offline">Please wave to your waiter. This page tries again by itself.</p></main></div>
</body>
</html>
`

const documentHead = (title: string, moreViewport = ''): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1${moreViewport}">
<meta name="color-scheme" content="dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">`

const refreshMeta = (seconds: number, address: string): string =>
  `<meta http-equiv="refresh" content="${seconds};url=${escapeHtml(address)}">`

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? '')

/** Without "<" the text cannot end the script or start a comment. */
const jsonForScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c')

const removeSentParameter = (address: string): string => address.replace(/&sent=[^&]*$/, '')
