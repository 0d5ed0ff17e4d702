/** A string that does not match the schema, or that cannot be sent. */
export class BadValue extends Error {}

const numeric = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g

/**
 * Reads a number. Returns `undefined` for other texts.
 *
 * @throws BadValue if JavaScript has no such number: the server would receive another number.
 */
export function readNumber(text: string): number | undefined {
  const value = numeric.test(text) ? Number(text) : Number.NaN
  if (!Number.isFinite(value)) return undefined
  if (canonical(text) !== canonical(String(value))) {
    throw new BadValue(`cannot be sent exactly: the nearest number is ${value}`)
  }
  return value
}

/**
 * Parses JSON.
 *
 * @throws SyntaxError for invalid JSON, and BadValue for JSON with a number that would be changed.
 */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text)
  for (const [token] of text.matchAll(stringOrNumber)) {
    if (!token.startsWith('"') && !isExact(token))
      throw new BadValue(`has the number ${token}, which cannot be sent exactly`)
  }
  return value
}

function isExact(token: string): boolean {
  const value = Number(token)
  return Number.isFinite(value) && canonical(token) === canonical(String(value))
}

/** Writes a number without the differences that do not change its value: `1.50`, `+1.5` and `15e-1` are the same. */
function canonical(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  const shift = Number(exponent) - fraction.length + digits.length - significant.length
  return `${sign === '-' ? '-' : ''}${significant}e${shift}`
}
