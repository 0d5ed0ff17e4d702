import type { CompiledSchema } from './compiled-schema.js'
import type { ValidationError } from './describe-errors.js'

// A recursive schema whose branches are alike checks the same part of a value once per branch, and its parts as often again:
// the work doubles with each level. The compiled validators call `takeStep` at each recursive reference.

/** Steps for a value of any size: some milliseconds. Ajv makes objects at each, TypeBox none. */
export const maxSteps = { ofTypeBox: 20_000, ofAjv: 2_000 } as const

/** Steps for each part of a value: a check that grows with the value, and no faster, needs one or two. */
const stepsPerPart = 4

const exhausted = new Error('a value takes too many steps to check')

/** Steps that the running check has left. Infinite while the application itself uses a validator. */
let left = Number.POSITIVE_INFINITY

/** @throws When the running check has used up its steps. */
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

/** Limits the work of checking a value, and of explaining what is wrong with it. */
export function withMaxSteps(schema: CompiledSchema, steps: number): CompiledSchema {
  // `faults` is called right after `check`, for the same value.
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

/** @returns `undefined` where `run` needs more steps than the size of the value allows. */
function limited<Result>(value: unknown, steps: number, run: () => Result): Result | undefined {
  const result = withSteps(steps, run)
  if (result !== undefined) return result
  const allowed = stepsPerPart * countParts(value)
  return allowed > steps ? withSteps(allowed, run) : undefined
}

/** @returns `undefined` where `run` needs more steps. */
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
