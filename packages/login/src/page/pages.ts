import { createHash } from 'node:crypto'
import { Html, html } from '@toolwright/server/host'
import type { LoginClient, PageOptions } from '../options.js'
import { pageStyle } from './page-style.js'
import { type PageWords, pageWords } from './words.js'

const styleHash = createHash('sha256').update(pageStyle).digest('base64')

/**
 * Headers of all pages. There is no `form-action`: browsers apply it to the redirects after the form, which lead to the provider and
 * to the client.
 */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    'img-src data: https:',
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
} as const

export interface Consent {
  readonly client: LoginClient
  /** Host that publishes the metadata of the client; `null` for a client that anyone can imitate. */
  readonly verifiedHost: string | null
  readonly scopes: readonly string[]
  readonly formToken: string
}

export class Pages {
  readonly #words: PageWords

  constructor(
    private readonly options: PageOptions,
    private readonly provider: string,
    /** Name of the server, unless the options contain one. */
    private readonly serverName: () => string,
  ) {
    this.#words = { ...pageWords, ...options.words }
  }

  consent({ client, verifiedHost, scopes, formToken }: Consent): string {
    const words = this.#filled({ client: client.name })
    const origin = verifiedHost === null ? words.unverified : this.#filled({ host: verifiedHost }).verified
    return this.#page(
      words.title,
      html`<p class="intro">${words.intro}</p>
<p class="soft">${origin}</p>
<dl>
<dt>${words.returnsTo}</dt><dd><code><bdi>${client.returnsTo}</bdi></code></dd>
${scopes.length === 0 ? '' : html`<dt>${words.scopes}</dt><dd><ul>${scopes.map(itemOf)}</ul></dd>`}
</dl>
<p class="warning">${words.warning}</p>
<form method="post">
<input type="hidden" name="form_token" value="${formToken}">
<button class="main" name="decision" value="continue">${words.continue}</button>
<button name="decision" value="cancel">${words.cancel}</button>
</form>`,
    )
  }

  notAllowed(formToken: string): string {
    const { notAllowedTitle, notAllowed, back } = this.#filled({})
    return this.#page(
      notAllowedTitle,
      html`<p class="intro">${notAllowed}</p>
<form method="post">
<input type="hidden" name="form_token" value="${formToken}">
<button class="main" name="decision" value="cancel">${back}</button>
</form>`,
    )
  }

  error(kind: 'expired' | 'unknownClient' | 'unavailable' | 'rejected', reason = ''): string {
    const words = this.#filled({ reason })
    return this.#page(words.errorTitle, html`<p class="intro">${words[kind]}</p>`)
  }

  #page(title: string, content: Html): string {
    const { logo, support } = this.options
    const { lang, support: help } = this.#words
    const page = html`<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
${new Html(`<style>${pageStyle}</style>`)}
</head>
<body>
<main>
${logo === undefined ? '' : html`<img class="logo" src="${logo}" alt="">`}
<h1>${title}</h1>
${content}
${support === undefined ? '' : html`<p class="support"><a href="${linkOf(support)}">${help}</a></p>`}
</main>
</body>
</html>
`
    return page.text
  }

  /** Inserts values into the words. The result is not escaped yet. */
  #filled(values: Readonly<Record<string, string>>): PageWords {
    const all: Readonly<Record<string, string>> = {
      server: this.options.name ?? this.serverName(),
      provider: this.provider,
      ...values,
    }
    const fill = (text: string): string => text.replace(/\{(\w+)\}/g, (found, name: string) => all[name] ?? found)
    return Object.fromEntries(Object.entries(this.#words).map(([name, text]) => [name, fill(text)])) as PageWords
  }
}

function itemOf(scope: string): Html {
  return html`<li><code>${scope}</code></li>`
}

function linkOf(support: string): string {
  return /^(?:https:|mailto:)/.test(support) ? support : `mailto:${support}`
}
