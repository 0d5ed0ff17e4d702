import type { CompiledSchema } from './compiled-schema.js'
import type { ValidationError } from './describe-errors.js'
import { allSchemas } from './subschemas.js'

/** Formats whose checks `spend`: each text takes microseconds, and a message has room for 50,000 of them. */
const costlyFormats = ['idn-email', 'hostname', 'idn-hostname', 'iri', 'iri-reference', 'url', 'regex']

/** Microseconds for the formats of one value: everybody else waits meanwhile. */
const maxEffort = 25_000

const exhausted = new Error('the formats of a value take too long to check')

/** Microseconds that the check that runs has left. Without limit where the application itself checks a format. */
let left = Number.POSITIVE_INFINITY

/** @throws When that is more than one value may take. */
export function spend(microseconds: number): void {
  left -= microseconds
  if (left < 0) throw exhausted
}

/** A value with more text of such formats than can be checked at once does not fit the schema: its fault says so. */
export function withMaxEffort(schema: CompiledSchema): CompiledSchema {
  const used = new Set(allSchemas(schema.wire).map(({ format }) => format))
  const formats = costlyFormats.filter((format) => used.has(format))
  if (formats.length === 0) return schema
  const tooMuch = [tooMuchText(formats)]
  // `faults` is called right after `check`, for the same value.
  let isTooMuch = false
  return {
    ...schema,
    check: (value) => {
      const isFitting = look(() => schema.check(value))
      isTooMuch = isFitting === undefined
      return isFitting ?? false
    },
    errors: (value) => (isTooMuch ? tooMuch : (look(() => schema.errors(value)) ?? tooMuch)),
  }
}

/** `undefined` when that would have taken too long. */
function look<Result>(at: () => Result): Result | undefined {
  left = maxEffort
  try {
    return at()
  } catch (error) {
    if (error === exhausted) return undefined
    throw error
  } finally {
    left = Number.POSITIVE_INFINITY
  }
}

function tooMuchText(formats: readonly string[]): ValidationError {
  const names = formats.join(' or ')
  const message = `must not have so much text of the format ${names}: it takes too long to check. Send less at once`
  return { keyword: 'format', instancePath: '', params: {}, message }
}
