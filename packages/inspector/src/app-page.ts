/**
 * The document in which an MCP App runs. The document receives the App's HTML once, from the window that embeds the
 * document. The header's sandbox makes its origin opaque, so the App can access neither the inspector nor the server. A
 * document in `srcdoc` would inherit the policy of the inspector, which allows no other scripts.
 */
export const appPage = `<!doctype html>
<meta charset="utf-8">
<title>MCP App</title>
<script>
addEventListener('message', ({ source, data }) => {
  if (source !== parent || typeof data?.html !== 'string') return
  document.open()
  document.write(data.html)
  document.close()
})
parent.postMessage({ ready: true }, '*')
</script>
`

const directives: Readonly<Record<string, readonly string[]>> = {
  connect: ['connect-src'],
  resource: ['script-src', 'style-src', 'img-src', 'font-src', 'media-src'],
  frame: ['frame-src'],
  base: ['base-uri'],
}

const inline: Readonly<Record<string, string>> = {
  'script-src': "'unsafe-inline'",
  'style-src': "'unsafe-inline'",
  'img-src': 'data: blob:',
  'font-src': 'data:',
  'media-src': 'data: blob:',
}

/**
 * An origin, with or without a wildcard for subdomains. Other values are ignored, because they could add a directive.
 */
const origin = /^(?:https?|wss?):\/\/(?:\*\.)?[a-z0-9.-]{1,253}(?::\d{1,5})?$/i

const maxOrigins = 50

export function appPolicy(query: Readonly<Record<string, unknown>>): string {
  const sources = new Map<string, string>()
  for (const [name, names] of Object.entries(directives)) {
    const origins = readOrigins(query[name])
    for (const directive of names) {
      sources.set(directive, [inline[directive] ?? '', ...origins].join(' ').trim() || "'none'")
    }
  }
  const written = [...sources].map(([directive, source]) => `${directive} ${source}`)
  return [
    "default-src 'none'",
    ...written,
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-scripts allow-forms',
  ].join('; ')
}

function readOrigins(given: unknown): readonly string[] {
  if (typeof given !== 'string') return []
  return given
    .split(' ')
    .filter((one) => origin.test(one))
    .slice(0, maxOrigins)
}
