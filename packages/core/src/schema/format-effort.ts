import type { CompiledSchema } from './compiled-schema.js'
import type { SchemaFault } from './describe-faults.js'
import { allSchemas } from './subschemas.js'

/** Formats whose checks `spend`: each text takes microseconds, and a message has room for 50,000 of them. */
const costlyFormats = ['hostname', 'idn-hostname', 'iri', 'iri-reference', 'url', 'regex']

/** Microseconds for the formats of one value: everybody else waits meanwhile. */
const maxEffort = 25_000

const exhausted = new Error('the formats of a value take too long to check')

/** What the look that goes on may still take. Where the application checks by itself, as long as it wants. */
let left = Number.POSITIVE_INFINITY

/** @throws When that is more than one value may take. */
export function spend(microseconds: number): void {
  left -= microseconds
  if (left < 0) throw exhausted
}

/** A value with more texts of such formats than can be checked at once does not fit the schema: its fault says so. */
export function withMaxEffort(schema: CompiledSchema): CompiledSchema {
  const used = new Set(allSchemas(schema.wire).map(({ format }) => format))
  const formats = costlyFormats.filter((format) => used.has(format))
  if (formats.length === 0) return schema
  const tooMany = [tooManyTexts(formats)]
  const refused = new WeakSet<object>()
  return {
    ...schema,
    check: (value) => {
      const isFitting = look(() => schema.check(value))
      // A text alone never takes that long.
      if (isFitting === undefined) refused.add(value as object)
      return isFitting ?? false
    },
    faults: (value) => (refused.delete(value as object) ? tooMany : (look(() => schema.faults(value)) ?? tooMany)),
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

function tooManyTexts(formats: readonly string[]): SchemaFault {
  const names = formats.join(' or ')
  const message = `must not have so many texts of the format ${names}: they take too long to check. Send fewer at once`
  return { keyword: 'format', instancePath: '', params: {}, message }
}
