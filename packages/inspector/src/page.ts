import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

export interface PageSettings {
  readonly base: string
  readonly endpoint: string
  readonly target: string
  readonly modern: string
  readonly report: boolean
}

export interface Page {
  readonly html: string
  readonly policy: string
}

const bundle = new URL('../bundle/', import.meta.url)

/** Writes the page: one HTML file that includes the script and the styles. */
export function writePage(settings: PageSettings): Page {
  const script = readBundle('inspector.js')
  const style = readBundle('inspector.css')
  const data = Object.entries(settings).map(([name, value]) => ` data-${name}="${escapeAttribute(String(value))}"`)
  const html = `<!doctype html>
<html lang="en"${data.join('')}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Inspector</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<div id="root"><p class="boot">The inspector needs JavaScript.</p></div>
<script type="module">${script}</script>
</body>
</html>
`
  return { html, policy: pagePolicy(script, style) }
}

function pagePolicy(script: string, style: string): string {
  return [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "connect-src 'self'",
    "frame-src 'self'",
    'img-src data: blob:',
    'media-src data: blob:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function readBundle(name: string): string {
  try {
    return readFileSync(new URL(name, bundle), 'utf8')
  } catch (error) {
    throw new Error(`The inspector's page is not built: bundle/${name} is missing. Run \`npm run build\`.`, {
      cause: error,
    })
  }
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
