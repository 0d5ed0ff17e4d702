import { maxUriLength, normalUri } from './normal-uri.js'

/** The error of an invalid URI template. Its message completes "The URI template '…' …". */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
}

interface Variable {
  readonly kind: 'variable'
  readonly name: string
  readonly lead: string
  /** Characters that must be encoded in a value; `null` if every character is allowed. */
  readonly forbidden: RegExp | null
}

interface Query {
  readonly kind: 'query'
  readonly names: readonly string[]
  readonly lead: string
}

export type Part = { readonly kind: 'literal'; readonly text: string } | Variable | Query

const operators: Readonly<Record<string, Pick<Variable, 'lead' | 'forbidden'>>> = {
  '': { lead: '', forbidden: /[/?#]/ },
  '+': { lead: '', forbidden: null },
  '#': { lead: '#', forbidden: null },
  '.': { lead: '.', forbidden: /[./?#]/ },
  '/': { lead: '/', forbidden: /[/?#]/ },
}

const expression = /\{([^{}]*)\}/g
const variableName = /^[A-Za-z][A-Za-z0-9_]*$/
const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/

/**
 * A URI template (RFC 6570) that matches URIs: `{id}`, `{+path}`, `{#id}`, `{.ext}`, `{/id}`, `{?a,b}` and `{&a,b}`.
 *
 * Matching takes time linear in the length of the URI: a variable ends at the first occurrence of the text after it, without
 * backtracking.
 */
export class UriTemplate {
  readonly parts: readonly Part[]
  readonly variables: readonly string[]

  /** @throws TemplateError for an invalid template, or a template that could match a URI in two ways. */
  constructor(readonly text: string) {
    this.parts = parseParts(text)
    this.variables = this.parts.flatMap(namesOf)
    rejectAmbiguous(this.parts, this.variables)
  }

  /**
   * Returns the decoded variables; `null` when the URI does not match, or is longer than 262,144 characters.
   *
   * @param uri A URI as {@link normalUri} returns it.
   */
  match(uri: string): Record<string, string> | null {
    if (uri.length > maxUriLength) return null
    const values: Value[] = []
    let position = 0
    for (const [index, part] of this.parts.entries()) {
      const end = this.#read(part, index, uri, position, values)
      if (end === -1) return null
      position = end
    }
    return position === uri.length ? Object.fromEntries(values) : null
  }

  #read(part: Part, index: number, uri: string, position: number, values: Value[]): number {
    if (part.kind === 'literal') return uri.startsWith(part.text, position) ? position + part.text.length : -1
    if (part.kind === 'query') return readQuery(part, uri, position, values)
    if (!uri.startsWith(part.lead, position)) return -1
    const start = position + part.lead.length
    const end = this.#endOfVariable(uri, start, index)
    const encoded = uri.slice(start, end)
    const value = end <= start ? null : readValue(part, encoded)
    if (value === null) return -1
    values.push([part.name, value])
    return end
  }

  /**
   * Finds the end of a variable, where the next part begins. A literal at the end of the template is matched at the end of the
   * URI.
   */
  #endOfVariable(uri: string, start: number, index: number): number {
    const next = this.parts[index + 1]
    if (next === undefined) return uri.length
    if (next.kind === 'literal' && index + 2 === this.parts.length) return uri.length - next.text.length
    const end = uri.indexOf(next.kind === 'literal' ? next.text : next.lead, start)
    return end === -1 && next.kind === 'query' ? uri.length : end
  }
}

type Value = [name: string, value: string]

export function isUriTemplate(uri: string): boolean {
  return /[{}]/.test(uri)
}

function parseParts(text: string): readonly Part[] {
  if (!scheme.test(text)) throw new TemplateError('has no scheme. Begin the template with a scheme, such as notes://')
  const parts: Part[] = []
  let position = 0
  for (const match of text.matchAll(expression)) {
    parts.push(...parseLiteral(text.slice(position, match.index)), parseExpression(match[1] ?? ''))
    position = match.index + match[0].length
  }
  return [...parts, ...parseLiteral(text.slice(position))]
}

function parseLiteral(text: string): Part[] {
  if (isUriTemplate(text)) throw new TemplateError('has an unmatched brace. Write a variable as {name}')
  return text === '' ? [] : [{ kind: 'literal', text: normalUri(text) }]
}

function parseExpression(source: string): Part {
  const operator = /^\W/.exec(source)?.[0] ?? ''
  const names = source.slice(operator.length).split(',')
  const isKnown = names.every((name) => variableName.test(name))
  if (isKnown && (operator === '?' || operator === '&')) return { kind: 'query', names, lead: operator }
  const known = operators[operator]
  const [name, ...more] = names
  if (isKnown && known !== undefined && name !== undefined && more.length === 0)
    return { kind: 'variable', name, ...known }
  throw new TemplateError(`has the expression {${source}}, which is not supported. Use one of {name}, {+name}, {?name}`)
}

function namesOf(part: Part): readonly string[] {
  if (part.kind === 'literal') return []
  return part.kind === 'query' ? part.names : [part.name]
}

function rejectAmbiguous(parts: readonly Part[], variables: readonly string[]): void {
  const duplicate = variables.find((name, index) => variables.indexOf(name) !== index)
  if (duplicate !== undefined) throw new TemplateError(`has the variable {${duplicate}} twice. Rename one`)
  for (const [index, part] of parts.entries()) {
    const next = parts[index + 1]
    if (next === undefined) return
    if (part.kind === 'query') throw new TemplateError('has something after its query. Put the query last')
    if (part.kind === 'variable' && next.kind === 'variable' && next.lead === '') {
      throw new TemplateError(`has {${part.name}} and {${next.name}} side by side. Put text between them`)
    }
  }
}

/** Reads the parameters of a query, in any order. A URI with an unknown parameter does not match. */
function readQuery({ names, lead }: Query, uri: string, position: number, values: Value[]): number {
  if (position === uri.length) return position
  if (!uri.startsWith(lead, position)) return -1
  for (const member of uri.slice(position + 1).split('&')) {
    const [, name = '', encoded = ''] = /^([^=]*)=?(.*)$/s.exec(member) ?? []
    const value = decode(encoded)
    if (!names.includes(name) || value === null) return -1
    values.push([name, value])
  }
  return uri.length
}

const climbing = /^\.{1,2}$|[/\\\0]/

/**
 * Matches a dot segment in a decoded value. Such values are rejected: `a/../b` is equivalent to `b` (RFC 3986, section 6.2.2.3),
 * so an open template could serve `b` although an access rule protects `b`.
 */
const dotSegment = /(?:^|[/\\])\.{1,2}(?:[/\\]|$)/

function readValue({ forbidden }: Variable, encoded: string): string | null {
  const value = forbidden?.test(encoded) === true ? null : decode(encoded)
  return value === null || (forbidden === null ? dotSegment : climbing).test(value) ? null : value
}

function decode(value: string): string | null {
  try {
    return decodeURIComponent(value)
  } catch {
    return null
  }
}
