import { apiScopes } from '#contract/accounts/api-tokens.ts'
import type { Right } from '#contract/permissions.ts'
import type { AsyncApi, LiveMessage } from './asyncapi.ts'
import type { JsonSchema } from './contract-types.ts'
import { inWords, type OpenApi, type OpenApiOperation } from './openapi.ts'
import { escapeHtml, isRecord, typeText } from './type-text.ts'

export type Example = { file: string; title: string; text: string; code: string }

type Documents = { openApi: OpenApi; asyncApi: AsyncApi }

/** A plain page without scripts: what the two documents say, for people. */
export function createPage(
  { openApi, asyncApi }: Documents,
  examples: readonly Example[],
  version: string,
): string {
  const groups = openApi.tags.map(({ name }) => ({ name, operations: operationsOf(openApi, name) }))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<meta name="description" content="How other software reads and answers what guests ask for.">
<link rel="icon" type="image/png" href="/icon-192.png">
<link rel="stylesheet" href="/developers/developers.css">
<title>Tableside for developers</title>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<p><a href="/">Tableside</a> ${escapeHtml(version)}</p>
<h1>For developers</h1>
<p>Everything a page of Tableside can do, other software can do too: over HTTP, and live over a WebSocket.</p>
<nav aria-label="On this page">
<ul>
<li><a href="#start">Start here</a></li>
<li><a href="#tokens">Tokens</a></li>
<li><a href="#examples">Examples</a></li>
<li><a href="#http">HTTP</a></li>
<li><a href="#live">Live</a></li>
<li><a href="#webhooks">Webhooks</a></li>
<li><a href="#types">Types</a></li>
</ul>
</nav>
</header>
<main id="content">
<section aria-labelledby="start">
<h2 id="start">Start here</h2>
<ul>
<li><a href="/developers/openapi.json">openapi.json</a>: every HTTP call, as OpenAPI 3.1</li>
<li><a href="/developers/asyncapi.json">asyncapi.json</a>: every live message, as AsyncAPI 3</li>
</ul>
<p>Bodies and answers are JSON; times are milliseconds since 1970, days are written 2026-11-23. A refusal has a <code>code</code> for software and a <code>message</code> for people. Answers may have further fields one day: ignore those you do not know.</p>
</section>
<section aria-labelledby="tokens">
<h2 id="tokens">Tokens</h2>
<p>Owners make tokens in the Admin Portal under “People and access”. A token acts for one restaurant, within its scopes, until it is revoked or has expired. Send it in a header with every call, and when you open the WebSocket; it is not accepted anywhere else:</p>
<pre><code>authorization: Bearer tableside_…</code></pre>
<dl>
${Object.entries(apiScopes)
  .map(([scope, label]) => `<dt><code>${scope}</code></dt><dd>${escapeHtml(label)}</dd>`)
  .join('\n')}
</dl>
<p>Without the scope a call answers 403, with an invalid token 401. A token may call 600 times a minute; then <code>Retry-After</code> says how long to wait. A socket whose token is revoked or expires is closed with code 4401. What software shows on a display does not prove that anybody sees it, so it does not count as a listening screen.</p>
</section>
<section aria-labelledby="examples">
<h2 id="examples">Examples</h2>
<p>Each runs as it is with Node 26: <code>TABLESIDE_URL=https://… TABLESIDE_TOKEN=tableside_… node examples/…</code></p>
${examples.map(renderExample).join('\n')}
</section>
<section aria-labelledby="http">
<h2 id="http">HTTP</h2>
<ul class="groups">
${groups.map(({ name }) => `<li><a href="#group-${name}">${inWords(name)}</a></li>`).join('\n')}
</ul>
${groups.map(({ name, operations }) => `<h3 id="group-${name}">${inWords(name)}</h3>\n${operations.map(renderOperation).join('\n')}`).join('\n')}
</section>
<section aria-labelledby="live">
<h2 id="live">Live</h2>
<p>One WebSocket at <code>/ws</code>. ${escapeHtml(String(asyncApi.info['description']))}</p>
<h3>Clients send</h3>
${messagesOf(asyncApi, 'receive')
  .map((message) => renderMessage(message, rightsOf(asyncApi, message)))
  .join('\n')}
<h3>The server sends</h3>
${messagesOf(asyncApi, 'send')
  .map((message) => renderMessage(message))
  .join('\n')}
</section>
<section aria-labelledby="webhooks">
<h2 id="webhooks">Webhooks</h2>
<p>Owners add a webhook in the Admin Portal under “Alerts”, choose what it is told of, and read there what was sent and whether it arrived. Each call is signed as <a href="https://www.standardwebhooks.com">Standard Webhooks</a> describes. Any answer from 200 to 299 within ten seconds means that it arrived; otherwise it is tried again, nine times within a day. The order is not guaranteed, and a message may come twice under the same <code>webhook-id</code>.</p>
${Object.entries(openApi.webhooks).map(renderWebhook).join('\n')}
</section>
<section aria-labelledby="types">
<h2 id="types">Types</h2>
${Object.entries(openApi.components['schemas'] ?? {})
  .map(renderType)
  .join('\n')}
</section>
</main>
</body>
</html>
`
}

function renderExample({ file, title, text, code }: Example): string {
  return `<h3>${escapeHtml(title)}</h3>
<p>${escapeHtml(text)} <code>examples/${escapeHtml(file)}</code></p>
<pre><code>${escapeHtml(code.trim())}</code></pre>`
}

type Call = OpenApiOperation & { method: string; path: string }

const operationsOf = ({ paths }: OpenApi, group: string): Call[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags[0] === group)
      .map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )

function renderOperation(call: Call): string {
  const { operationId, method, path, description, parameters = [], requestBody, responses } = call
  return `<details>
<summary><code><b>${method}</b> ${escapeHtml(path)}</code></summary>
<div id="${operationId}">
<p>${description ? `${renderComment(description)} ` : ''}For ${describeRights(call['x-permissions'], call['x-scope'])}.</p>
<dl>
${parameters.map((parameter) => `<dt><code>${escapeHtml(String(parameter['name']))}</code> in the ${parameter['in'] === 'path' ? 'path' : 'query'}</dt><dd><pre>${typeText(toSchema(parameter['schema']))}</pre></dd>`).join('\n')}
${requestBody ? `<dt>Body</dt><dd><pre>${typeText(schemaIn(requestBody))}</pre></dd>` : ''}
${Object.entries(responses)
  .filter(([status]) => status.startsWith('2'))
  .map(([status, response]) => `<dt>${status}</dt><dd>${renderReply(response)}</dd>`)
  .join('\n')}
</dl>
</div>
</details>`
}

/** Comments quote code as in Markdown. */
const renderComment = (text: string): string => escapeHtml(text).replaceAll(/`([^`]+)`/gu, '<code>$1</code>')

function renderReply(response: JsonSchema): string {
  const schema = schemaIn(response)
  return Object.keys(schema).length > 0 ? `<pre>${typeText(schema)}</pre>` : 'No content'
}

/** The schema of a body or a response. */
function schemaIn({ content }: JsonSchema): JsonSchema {
  const [media] = Object.values(isRecord(content) ? content : {})
  return toSchema(isRecord(media) ? media['schema'] : undefined)
}

const toSchema = (value: unknown): JsonSchema => (isRecord(value) ? value : {})

const logins = {
  guest: 'guests',
  device: "the restaurant's devices",
  crew: 'crew logins',
  manager: 'managers',
  owner: 'owners',
}
const conditions: Record<Exclude<Right, 'no'>, string> = {
  yes: '',
  own: 'their own only',
  recent: 'within 15 minutes of signing in',
  'login-recent': 'logins and PINs within 15 minutes of signing in',
  paid: 'with a subscription',
  reduced: 'with fewer fields',
  named: 'once a crew member is chosen',
}

function describeRights(rights: Record<keyof typeof logins, Right>, scope: string | undefined): string {
  const isForAll = Object.values(rights).every((right) => right === 'yes')
  const people = Object.entries(logins).flatMap(([login, name]) => {
    const right = rights[login as keyof typeof logins]
    if (right === 'no') return []
    return [conditions[right] === '' ? name : `${name} (${conditions[right]})`]
  })
  const software =
    scope === undefined ? [] : [scope === 'any' ? 'every token' : `tokens with <code>${scope}</code>`]
  return [...(isForAll ? ['anybody'] : people), ...software].join(', ')
}

const messagesOf = ({ operations, components }: AsyncApi, action: 'send' | 'receive'): LiveMessage[] =>
  Object.entries(operations).flatMap(([name, operation]) => {
    const message = components.messages[name.replace(/^(?:send|receive)-/u, '')]
    return operation.action === action && message ? [message] : []
  })

function rightsOf({ operations }: AsyncApi, { name }: LiveMessage): string {
  const operation: JsonSchema = operations[`receive-${name}`] ?? {}
  const { 'x-permissions': rights, 'x-scope': scope } = operation
  return describeRights(
    rights as Record<keyof typeof logins, Right>,
    typeof scope === 'string' ? scope : undefined,
  )
}

function renderMessage({ name, summary, payload }: LiveMessage, rights?: string): string {
  return `<details>
<summary><code><b>${escapeHtml(name)}</b></code></summary>
<div id="message-${name}">
<p>${summary ? `${renderComment(summary)} ` : ''}${rights === undefined ? '' : `For ${rights}.`}</p>
<pre>${typeText(payload)}</pre>
</div>
</details>`
}

function renderWebhook([name, { post }]: [string, { post: JsonSchema }]): string {
  return `<details>
<summary><code><b>${escapeHtml(name)}</b></code></summary>
<div id="webhook-${name}">
<pre>${typeText(schemaIn(toSchema(post['requestBody'])))}</pre>
</div>
</details>`
}

function renderType([name, schema]: [string, JsonSchema]): string {
  return `<details>
<summary><code><b>${name}</b></code></summary>
<div id="type-${name}">
<pre>${typeText(schema)}</pre>
</div>
</details>`
}
