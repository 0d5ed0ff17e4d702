// Numbers that JavaScript cannot hold: they are not sent, and are shown as the server has sent them.
const { rawJSON } = JSON as { readonly rawJSON?: (text: string) => unknown }

const parse = JSON.parse as (
  text: string,
  revive: (key: string, value: unknown, context?: { readonly source?: string }) => unknown,
) => unknown

const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

/** Strings and numbers of a JSON text. */
const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi

/** Texts without a match have only numbers of at most 15 digits, which are exact. */
const possiblyInexact = /[\d.]{16}|\d[eE][+-]?\d/

/** Longer numbers would take long to compare. */
const maxLength = 400

export interface Reading {
  /** `undefined` if there is no value. */
  readonly value: unknown
  /** The reason why the value cannot be sent, or an empty string. */
  readonly problem: string
}

export const absent: Reading = { value: undefined, problem: '' }

export function unreadable(problem: string): Reading {
  return { value: undefined, problem }
}

/** Reads a number as typed. Zeros at the start and an exponent are allowed, as `007` and `1e3`. */
export function readNumber(text: string, isInteger: boolean): Reading {
  const trimmed = text.trim()
  if (trimmed === '') return absent
  if (!number.test(trimmed)) return unreadable('Not a number. Write it as 1234.5 or 1.5e3.')
  if (!isExact(trimmed)) return unreadable(inexact(trimmed))
  const value = Number(trimmed)
  if (isInteger && !Number.isInteger(value)) return unreadable('Not a whole number.')
  return { value: value === 0 ? 0 : value, problem: '' }
}

/** Reads JSON as typed. */
export function readJson(text: string): Reading {
  try {
    const value: unknown = JSON.parse(text)
    const wrong = findInexact(text)
    return wrong === undefined ? { value, problem: '' } : unreadable(`${wrong.slice(0, 40)}: ${inexact(wrong)}`)
  } catch (error) {
    return unreadable(error instanceof Error ? error.message : 'This is not JSON.')
  }
}

/** Parses JSON for display. Numbers that JavaScript cannot hold keep their text if the browser supports it. */
export function parseForDisplay(text: string): unknown {
  if (rawJSON === undefined || !possiblyInexact.test(text)) return JSON.parse(text)
  return parse(text, (_key, value, context) =>
    typeof value === 'number' && context?.source !== undefined && !isExact(context.source)
      ? rawJSON(context.source)
      : value,
  )
}

function findInexact(text: string): string | undefined {
  if (!possiblyInexact.test(text)) return undefined
  return text.match(tokens)?.find((token) => !token.startsWith('"') && !isExact(token))
}

function inexact(text: string): string {
  const value = Number(text)
  return Number.isFinite(value)
    ? `This number cannot be sent exactly: it would become ${value}.`
    : 'This number is too large to be sent.'
}

/** Whether JavaScript writes the number with the same decimal value. */
function isExact(text: string): boolean {
  return (
    text.length <= maxLength && Number.isFinite(Number(text)) && normalize(text) === normalize(String(Number(text)))
  )
}

/** Returns the digits without zeros at both ends, and the exponent. */
function normalize(text: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  const shift = Number(exponent) - fraction.length + digits.length - significant.length
  return `${sign === '-' ? '-' : ''}${significant}e${shift}`
}
