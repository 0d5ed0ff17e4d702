import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  type ParseErrorCode,
  parseTree,
  printParseErrorCode,
  visit,
} from 'jsonc-parser'
import { secretFields } from '../client.js'
import {
  type DocumentFormat,
  hiddenValue,
  hideInText,
  InvalidDocument,
  isSecretFlag,
  isShown,
  type Path,
  toPlain,
} from './document.js'

/**
 * JSON files with comments and trailing commas. The library only parses: its `modify` would reformat the neighbours of
 * a new member, and move comments.
 */
export const jsonDocument: DocumentFormat = {
  parse: (text) => (text.trim() === '' ? {} : (toPlain(getNodeValue(parseRoot(text))) as Record<string, unknown>)),
  set: (text, path, value) => {
    const whole = text.trim() === '' ? '{}\n' : text
    return setAt(whole, path, value)
  },
  remove: removeAt,
  hide,
}

function parseRoot(text: string): Node {
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true })
  const [error] = errors
  if (error !== undefined) throw invalidAt(text, error.offset, describe(error.error))
  if (root?.type !== 'object') throw invalidAt(text, root?.offset ?? 0, 'an object is expected')
  return root
}

function describe(error: ParseErrorCode): string {
  const name = printParseErrorCode(error)
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
}

function invalidAt(text: string, offset: number, message: string): InvalidDocument {
  const before = text.slice(0, offset).split('\n')
  return new InvalidDocument(message, before.length, (before.at(-1) as string).length + 1)
}

function setAt(text: string, path: Path, value: unknown): string {
  const root = parseRoot(text)
  const found = findNodeAtLocation(root, [...path])
  if (found !== undefined) return replace(text, found.offset, found.length, format(value, text, found.parent as Node))
  const depth = path.findIndex((_, index) => findNodeAtLocation(root, path.slice(0, index + 1)) === undefined)
  const parent = findNodeAtLocation(root, path.slice(0, depth)) as Node
  if (parent.type !== 'object') throw invalidAt(text, parent.offset, `'${path[depth - 1]}' is not an object`)
  const wrapped = path.slice(depth + 1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), value)
  return insert(text, parent, path[depth] as string, wrapped)
}

/**
 * Adds a member at the end of an object. If a comment follows the last member on its line, adds the member after the
 * comment.
 */
function insert(text: string, object: Node, key: string, value: unknown): string {
  const { eol, unit } = styleOf(text)
  const last = object.children?.at(-1)
  const close = object.offset + object.length - 1
  const indent = indentAt(text, object.offset)
  const member = (inner: string): string => `${JSON.stringify(key)}: ${stringify(value, inner, { eol, unit })}`
  if (last === undefined) {
    // Comments of an empty object stay before the new member.
    const inside = text.slice(object.offset + 1, close).trimEnd()
    const rest = close - (object.offset + 1 + inside.length)
    const added = `${inside}${eol}${indent}${unit}${member(indent + unit)}${eol}${indent}`
    return replace(text, object.offset + 1, inside.length + rest, added)
  }
  const end = last.offset + last.length
  const comma = commaAfter(text, end)
  if (!isAtLineStart(text, last.offset)) {
    // An object on one line stays on one line.
    const [colon, gap, short] = isSpaced(text, last)
      ? [': ', ' ', JSON.stringify(value, null, 1).replace(/\n */g, ' ')]
      : [':', '', JSON.stringify(value)]
    const added = `${gap}${JSON.stringify(key)}${colon}${short}`
    return replace(text, comma ?? end, 0, comma === null ? `,${added}` : `${added},`)
  }
  const inner = indentAt(text, last.offset)
  const after = endOfLine(text, comma ?? end)
  const added = `${eol}${inner}${member(inner)}${comma === null ? '' : ','}`
  const withMember = replace(text, after, 0, added)
  return comma === null ? replace(withMember, end, 0, ',') : withMember
}

function removeAt(text: string, path: Path): string {
  const value = findNodeAtLocation(parseRoot(text), [...path])
  if (value === undefined) return text
  const member = value.parent as Node
  const object = member.parent as Node
  const members = object.children as Node[]
  const index = members.indexOf(member)
  const end = member.offset + member.length
  const comma = commaAfter(text, end)
  const isAlone = isAtLineStart(text, member.offset)
  // A comment on the same line describes the member, and is removed with it.
  const until = isAlone ? endOfLine(text, comma ?? end) : (comma ?? end)
  const from = startOfMember(text, member.offset)
  const without = replace(text, from, until - from, '')
  if (members.length === 1) return collapse(without, object.offset)
  const before = members[index - 1]
  if (comma !== null || before === undefined) return without
  // The previous member is now the last member, so its comma is removed.
  const oldComma = commaAfter(text, before.offset + before.length)
  return oldComma === null ? without : replace(without, oldComma - 1, 1, '')
}

/** Returns the end of the previous line; if text precedes the member on its line, the end of that text. */
function startOfMember(text: string, offset: number): number {
  return text.slice(0, offset).replace(/(?:\r?\n)?[ \t]*$/, '').length
}

/** Writes an object as `{}` if only white space is left in it. */
function collapse(text: string, offset: number): string {
  return text.slice(0, offset) + text.slice(offset).replace(/^\{\s*\}/, '{}')
}

/** Returns the offset after the comma of a member, or `null` without a comma. */
function commaAfter(text: string, offset: number): number | null {
  const [found] = /^(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*,/.exec(text.slice(offset)) ?? []
  return found === undefined ? null : offset + found.length
}

/** Returns the end of a line that has only white space and comments from `offset` on; otherwise `offset`. */
function endOfLine(text: string, offset: number): number {
  const [rest = ''] = /^[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/[ \t]*)?(?=\r?\n|$)/.exec(text.slice(offset)) ?? []
  return offset + rest.trimEnd().length
}

function isAtLineStart(text: string, offset: number): boolean {
  return /(?:^|\n)[ \t]*$/.test(text.slice(0, offset))
}

function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1)
  return /^[ \t]*/.exec(line)?.[0] ?? ''
}

/** Whether a colon is followed by a space, which minified JSON does not have. */
function isSpaced(text: string, { offset, length }: Node): boolean {
  return /^"(?:[^"\\]|\\.)*":\s/.test(text.slice(offset, offset + length))
}

interface Style {
  readonly eol: string
  readonly unit: string
}

function styleOf(text: string): Style {
  const [, unit = '  '] = /\n([ \t]+)"/.exec(text) ?? []
  return { eol: text.includes('\r\n') ? '\r\n' : '\n', unit }
}

function format(value: unknown, text: string, member: Node): string {
  if (!isAtLineStart(text, member.offset)) return JSON.stringify(value)
  return stringify(value, indentAt(text, member.offset), styleOf(text))
}

function stringify(value: unknown, indent: string, { eol, unit }: Style): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`)
}

function replace(text: string, offset: number, length: number, by: string): string {
  return text.slice(0, offset) + by + text.slice(offset + length)
}

function hide(text: string, entry: Path): string {
  const parts: string[] = []
  let end = 0
  let previous: unknown
  const show = (offset: number, length: number, as: string): void => {
    parts.push(text.slice(end, offset), as)
    end = offset + length
  }
  visit(text, {
    onLiteralValue: (value, offset, length, _line, _character, pathOf) => {
      const isOpen = isShown(pathOf().map(String), entry, secretFields) && !isSecretFlag(previous)
      previous = value
      show(offset, length, isOpen ? hideInText(text.slice(offset, offset + length)) : hideLiteral(value))
    },
    onComment: (offset, length) => {
      const comment = text.slice(offset, offset + length)
      show(offset, length, comment.startsWith('//') ? '// …' : `/* …${comment.replace(/[^\n]/g, '')} */`)
    },
  })
  return parts.join('') + text.slice(end)
}

function hideLiteral(value: unknown): string {
  return typeof value === 'string' ? hiddenValue : '…'
}
