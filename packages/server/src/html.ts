/** Markup, which {@link html} inserts without escaping. */
export class Html {
  constructor(readonly text: string) {}
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Builds markup from a template. Strings are escaped, for elements and for quoted attributes. */
export function html(strings: TemplateStringsArray, ...values: readonly (string | Html | readonly Html[])[]): Html {
  return new Html(strings.reduce((text, part, index) => `${text}${toText(values[index - 1] ?? '')}${part}`))
}

function toText(value: string | Html | readonly Html[]): string {
  if (typeof value === 'string') return value.replace(/[&<>"']/g, (character) => entities[character] as string)
  return value instanceof Html ? value.text : value.map(({ text }) => text).join('')
}
