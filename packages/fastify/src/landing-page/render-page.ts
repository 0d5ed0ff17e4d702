import { createHash } from 'node:crypto'
import { shorten } from '@toolwright/core/host'
import { Html, html } from '@toolwright/server/host'
import type { CredentialsHeader } from '../security/credentials-header.js'
import { type ClientGuide, clientGuides, entryName } from './clients.js'
import { icon, logo } from './logo.js'
import { pageScript } from './page-script.js'
import { pageStyle } from './page-style.js'

/** Contents of the page. Texts are not escaped yet. */
export interface PageContents {
  readonly name: string
  readonly title: string | undefined
  readonly version: string
  readonly description: string | undefined
  readonly url: string
  readonly signIn: string | null
  /** Header with which clients send credentials. `null` if clients need none, or log in. */
  readonly header: CredentialsHeader | null
  readonly inspector: string | null
  readonly tools: readonly ListedTool[]
}

interface ListedTool {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
}

const maxTools = 40

const maxTitle = 120

const maxDescription = 300

export const pagePolicy = [
  "default-src 'none'",
  `style-src ${sourceOf(pageStyle)}`,
  `script-src ${sourceOf(pageScript)}`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const style = new Html(`<style>${pageStyle}</style>`)
const script = new Html(`<script>${pageScript}</script>`)

export function renderPage(page: PageContents): string {
  const { name, version, description = '', url, signIn, header, inspector } = page
  const title = shorten(page.title ?? name, maxTitle)
  const guides = clientGuides({ name: entryName(name), url, header })
  const body = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · MCP server</title>
${icon}
${style}
</head>
<body>
<main>
<p class="kind">${logo} MCP server</p>
<h1><bdi>${title}</bdi> <span class="version">${shorten(version, maxTitle)}</span></h1>
${description === '' ? '' : html`<p class="about"><bdi>${shorten(description, 2 * maxDescription)}</bdi></p>`}
<div class="copy address"><code>${url}</code>${copyButton}</div>
${inspector === null ? '' : html`<p class="development"><a class="open" href="${inspector}">Open the inspector</a></p>`}
${signIn === null ? '' : html`<p class="note">${signIn}</p>`}
<h2>Connect a client</h2>
<div class="list">${guides.map((guide, index) => renderGuide(guide, index === 0))}</div>
${renderTools(page.tools)}
<p role="status"></p>
</main>
${script}
</body>
</html>
`
  return body.text
}

const copyButton = html`<button type="button" hidden>Copy</button>`

function renderGuide({ client, hint, text, link }: ClientGuide, isOpen: boolean): Html {
  return html`
<details name="client"${isOpen ? html` open` : ''}><summary>${client}</summary><div class="guide">
${link === undefined ? '' : html`<a class="open" href="${link}">Add to ${client}</a>`}
<p>${hint}</p>
${text === null ? '' : html`<div class="copy"><pre>${text}</pre>${copyButton}</div>`}
</div></details>`
}

function renderTools(tools: readonly ListedTool[]): Html | string {
  if (tools.length === 0) return ''
  const more = tools.length - maxTools
  return html`<h2>Tools <span class="count">${String(tools.length)}</span></h2>
<ul class="list">${tools.slice(0, maxTools).map(renderTool)}${
    more > 0 ? html`<li class="tool"><p>and ${String(more)} more</p></li>` : ''
  }</ul>`
}

function renderTool({ name, title, description = '' }: ListedTool): Html {
  return html`
<li class="tool"><code>${shorten(name)}</code>${
    title === undefined || isSameText(title, name) ? '' : html` <span><bdi>${shorten(title, maxTitle)}</bdi></span>`
  }${description === '' ? '' : html`<p><bdi>${shorten(description, maxDescription)}</bdi></p>`}</li>`
}

/** Whether a title only repeats the name: `Add numbers` for `add_numbers`. */
function isSameText(title: string, name: string): boolean {
  const plain = (text: string): string => text.toLowerCase().replace(/[\s_.-]/g, '')
  return plain(title) === plain(name)
}

function sourceOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
