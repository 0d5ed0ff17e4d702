import type { ValidationError } from './describe-errors.js'
import { toPointerKey } from './json-pointer.js'
import type { StandardIssue, StandardOutcome, StandardSchema } from './standard-schema.js'

export type Parsed =
  | { readonly value: unknown; readonly errors?: undefined }
  | { readonly errors: readonly ValidationError[] }

export type Parse = (value: unknown) => Parsed | Promise<Parsed>

/** Creates the parser of a Standard Schema. It throws, or rejects, with the errors that the functions of the schema throw. */
export function parserOf(schema: StandardSchema): Parse {
  return (value) => {
    const outcome: unknown = schema['~standard'].validate(value)
    return isPromiseLike(outcome) ? Promise.resolve(outcome).then(toParsed) : toParsed(outcome)
  }
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as Partial<PromiseLike<unknown>>).then === 'function'
  )
}

/** Maximum number of issues that are read. Messages contain fewer. */
const maxIssues = 20

function toParsed(outcome: unknown): Parsed {
  const { issues } = outcome as StandardOutcome
  if ((issues ?? undefined) === undefined) return { value: (outcome as { readonly value: unknown }).value }
  // Reads the issues by index: some libraries use an array-like class.
  return {
    errors: Array.from(issues as ArrayLike<StandardIssue>)
      .slice(0, maxIssues)
      .map(toError),
  }
}

/** Keyword of the errors of Standard Schemas. Their messages are complete. */
export const issueKeyword = 'issue'

function toError({ message = '', path = [] }: Partial<StandardIssue>): ValidationError {
  const keys = Array.from(path, (part) => (typeof part === 'object' ? part.key : part))
  const instancePath = keys.map((key) => `/${toPointerKey(String(key))}`).join('')
  return { keyword: issueKeyword, instancePath, params: { path: writtenPath(keys) }, message }
}

/** Writes a path as in JavaScript: `days[0].at["from-to"]`. Some libraries begin their messages with this path. */
function writtenPath(keys: readonly PropertyKey[]): string {
  return keys
    .map((key, index) => {
      if (typeof key !== 'string') return `[${String(key)}]`
      if (!/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key)) return `[${JSON.stringify(key)}]`
      return index === 0 ? key : `.${key}`
    })
    .join('')
}
