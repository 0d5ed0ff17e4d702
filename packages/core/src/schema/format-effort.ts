import type { CompiledSchema } from './compiled-schema.js'
import type { ValidationError } from './describe-errors.js'
import { allSchemas } from './subschemas.js'

/** Formats whose checks call `spend`: each string takes microseconds, and a message can have 50,000 strings. */
const costlyFormats = ['idn-email', 'hostname', 'idn-hostname', 'iri', 'iri-reference', 'url', 'regex']

/** Maximum microseconds for the formats of one value. The check blocks the event loop. */
const maxEffort = 25_000

const exhausted = new Error('the formats of a value take too long to check')

/** Microseconds that the running check has left. Infinite while the application itself checks a format. */
let left = Number.POSITIVE_INFINITY

/** Counts the time of a check. @throws An error when the running check has no time left. */
export function spend(microseconds: number): void {
  left -= microseconds
  if (left < 0) throw exhausted
}

/** Limits the time for the formats of a value. A value that exceeds it is invalid, and its error says so. */
export function withMaxEffort(schema: CompiledSchema): CompiledSchema {
  const used = new Set(allSchemas(schema.wire).map(({ format }) => format))
  const formats = costlyFormats.filter((format) => used.has(format))
  if (formats.length === 0) return schema
  const tooMuch = [tooMuchText(formats)]
  // `errors` is called directly after `check`, for the same value.
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

/** Runs a check. @returns `undefined` if the check takes too long. */
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
  const message = `must have fewer or shorter strings of the format ${names}: they take too long to check`
  return { keyword: 'format', instancePath: '', params: {}, message }
}
