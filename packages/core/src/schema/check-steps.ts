import type { CompiledSchema } from './compiled-schema.js'
import type { ValidationError } from './describe-errors.js'

// A recursive schema with similar branches checks the same part of a value once per branch, and so do its inner parts:
// the work doubles with each level. The compiled validators therefore call `takeStep` at each recursive reference.

/** Steps allowed for a value of any size: a few milliseconds. Ajv allocates objects in each step, TypeBox does not. */
export const maxSteps = { ofTypeBox: 20_000, ofAjv: 2_000 } as const

/** Steps allowed per part of a value. A check whose work is linear in the value needs one or two. */
const stepsPerPart = 4

const exhausted = new Error('a value takes too many steps to check')

/** Steps that the running check has left. Infinite while the application itself uses a validator. */
let left = Number.POSITIVE_INFINITY

/** Counts a step. @throws An error when the running check has no steps left. */
export function takeStep(): true {
  if (--left < 0) throw exhausted
  return true
}

const tooManySteps: readonly ValidationError[] = [
  {
    keyword: 'recursion',
    instancePath: '',
    params: {},
    message: 'must be nested less deeply: it takes too much work to check against a recursive schema',
  },
]

/** Limits the steps of checking a value, and of describing its errors. */
export function withMaxSteps(schema: CompiledSchema, steps: number): CompiledSchema {
  // `errors` is called directly after `check`, for the same value.
  let isTooMuch = false
  return {
    ...schema,
    check: (value) => {
      const isFitting = limited(value, steps, () => schema.check(value))
      isTooMuch = isFitting === undefined
      return isFitting ?? false
    },
    errors: (value) => (isTooMuch ? tooManySteps : (limited(value, steps, () => schema.errors(value)) ?? tooManySteps)),
  }
}

/** Runs within the steps that the size of the value allows. @returns `undefined` if `run` needs more. */
function limited<Result>(value: unknown, steps: number, run: () => Result): Result | undefined {
  const result = withSteps(steps, run)
  if (result !== undefined) return result
  const allowed = stepsPerPart * countParts(value)
  return allowed > steps ? withSteps(allowed, run) : undefined
}

/** Runs within a number of steps. @returns `undefined` if `run` needs more. */
export function withSteps<Result>(steps: number, run: () => Result): Result | undefined {
  const before = left
  left = Math.min(steps, before)
  try {
    return run()
  } catch (error) {
    if (error === exhausted) return undefined
    throw error
  } finally {
    left = before
  }
}

function countParts(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const part of Array.isArray(value) ? value : Object.values(value)) count += countParts(part)
  return count
}
