import type { CompiledSchema } from './compiled-schema.js'
import type { ValidationError } from './describe-errors.js'
import { allSchemas } from './subschemas.js'

// The limit on the work of one check, besides the limits on the size of a message. Two kinds of schemas need this limit.
//
// A recursive schema with similar branches checks each part of a value once per branch. The work doubles with each level, so the
// compiled validators call `takeStep` at each recursive reference.
//
// Some formats take microseconds for each string, and a message can have 50,000 strings. The checks of these formats call
// `spend`.

/** Steps allowed for every value, in addition to `stepsPerPart`. These steps take a few milliseconds. */
const maxSteps = 20_000

/** Steps allowed per part of a value. A check whose work is linear in the value needs one or two steps per part. */
const stepsPerPart = 4

const costlyFormats = ['idn-email', 'hostname', 'idn-hostname', 'iri', 'iri-reference', 'url', 'regex']

/** Maximum microseconds for the formats of one value. Limited because the check blocks the event loop. */
const maxMicroseconds = 25_000

/** Remaining work of the running check. Infinite while the application itself uses a validator or a format. */
const left = { steps: Number.POSITIVE_INFINITY, microseconds: Number.POSITIVE_INFINITY }

const tooManySteps = new Error('a value takes too many steps to check')
const tooMuchTime = new Error('the formats of a value take too long to check')

/** Counts a step. @throws An error when the running check has no steps left. */
export function takeStep(): true {
  if (--left.steps < 0) throw tooManySteps
  return true
}

/** Counts the time of a check. @throws An error when the running check has no time left. */
export function spend(microseconds: number): void {
  left.microseconds -= microseconds
  if (left.microseconds < 0) throw tooMuchTime
}

/**
 * Limits the work of checking a value, and of describing its errors. A value that exceeds the limit is invalid, and its error
 * names the limit as the reason.
 *
 * @param isRecursive Whether to limit steps.
 */
export function withMaxWork(schema: CompiledSchema, isRecursive: boolean): CompiledSchema {
  const used = new Set(allSchemas(schema.wire).map(({ format }) => format))
  const formats = costlyFormats.filter((format) => used.has(format))
  if (!isRecursive && formats.length === 0) return schema
  let exceeded: readonly ValidationError[] | null = null
  const limited = <Result>(value: unknown, run: () => Result): Result | undefined => {
    exceeded = null
    left.microseconds = maxMicroseconds
    try {
      const result = isRecursive ? withStepsFor(value, run) : run()
      if (result === undefined) exceeded = [tooDeep]
      return result
    } catch (error) {
      if (error !== tooMuchTime) throw error
      exceeded = [tooCostly(formats)]
      return undefined
    } finally {
      left.microseconds = Number.POSITIVE_INFINITY
    }
  }
  return {
    ...schema,
    check: (value) => limited(value, () => schema.check(value)) ?? false,
    // Called directly after `check`, for the same value.
    errors: (value) => exceeded ?? limited(value, () => schema.errors(value)) ?? exceeded ?? [],
  }
}

/**
 * Runs a function, with a limit of steps that grows with the size of the value. @returns `undefined` if `run` needs more steps.
 */
function withStepsFor<Result>(value: unknown, run: () => Result): Result | undefined {
  const result = withSteps(maxSteps, run)
  if (result !== undefined) return result
  const allowed = stepsPerPart * countParts(value)
  return allowed > maxSteps ? withSteps(allowed, run) : undefined
}

/** Runs a function with a limit of steps. @returns `undefined` if `run` needs more steps. */
export function withSteps<Result>(steps: number, run: () => Result): Result | undefined {
  const before = left.steps
  left.steps = Math.min(steps, before)
  try {
    return run()
  } catch (error) {
    if (error === tooManySteps) return undefined
    throw error
  } finally {
    left.steps = before
  }
}

/** Counts the parts of a value, up to a maximum. Each kilobyte of a string is counted as a further part. */
export function countParts(value: unknown, max = Number.POSITIVE_INFINITY): number {
  if (typeof value === 'string') return 1 + (value.length >> 10)
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const part of Array.isArray(value) ? value : Object.values(value)) {
    if (count > max) break
    count += countParts(part, max - count)
  }
  return count
}

const tooDeep: ValidationError = {
  keyword: 'recursion',
  instancePath: '',
  params: {},
  message: 'must be nested less deeply: it takes too much work to check against a recursive schema',
}

function tooCostly(formats: readonly string[]): ValidationError {
  const names = formats.join(' or ')
  const message = `must have fewer or shorter strings of the format ${names}: they take too long to check`
  return { keyword: 'format', instancePath: '', params: {}, message }
}
