import { withBoundedRecursion } from './bounded-recursion.js'
import { SchemaError } from './compiled-schema.js'
import type { ValidationError } from './describe-errors.js'
import { Explainer } from './explain.js'
import { isJsonObject, type JsonObject } from './json.js'
import { withOwnChecks } from './keywords.js'
import { once } from './once.js'
import { findRecursion, hasEndlessReference } from './recursion.js'
import { resolveReferences } from './resolve-references.js'
import { shorten } from './shorten.js'
import { checkNow, compileCheck } from './typebox.js'

export interface Validator {
  readonly isRecursive: boolean
  readonly check: (value: unknown) => boolean
  readonly errors: (value: unknown) => readonly ValidationError[]
  /** Checks a value against a part of the schema, without compiling it. */
  readonly fits: (part: JsonObject, value: unknown) => boolean
}

/**
 * Creates the validator of a schema, and compiles it for the first value: compiling takes longer than a check of the schema, and
 * a program may use few of its schemas.
 *
 * @param local A schema whose references are pointers.
 * @throws SchemaError for a mistake in the schema, at once.
 */
export function createValidator(local: JsonObject): Validator {
  const resolved = resolveReferences(local)
  checkPatterns(resolved.parts)
  if (hasEndlessReference(resolved)) {
    throw new SchemaError('has a $ref that refers to itself without descending into the value. Remove it')
  }
  const bounded = once(() => withBoundedRecursion(withOwnChecks(resolved)))
  const check = once(() => compileCheck(bounded().root, bounded().targets))
  const explainer = once(() => new Explainer(bounded(), local))
  return {
    isRecursive: findRecursion(resolved) !== null,
    check: (value) => check()(value),
    errors: (value) => explainer().errorsOf(value),
    fits: (part, value) => {
      const { root, targets } = withOwnChecks({ ...resolved, root: part })
      return checkNow(root, targets, value)
    },
  }
}

function checkPatterns(parts: readonly JsonObject[]): void {
  for (const { pattern, patternProperties } of parts) {
    const names = isJsonObject(patternProperties) ? Object.keys(patternProperties) : []
    for (const each of typeof pattern === 'string' ? [pattern, ...names] : names) checkPattern(each)
  }
}

/** @throws The syntax error of an invalid pattern, or a `SchemaError` for a pattern that only the flag `u` makes invalid. */
export function checkPattern(pattern: string): void {
  try {
    new RegExp(pattern, 'u').test('')
  } catch (error) {
    if (!(error instanceof SyntaxError) || !isValidWithoutFlags(pattern)) throw error
    const reason = error.message.slice(error.message.lastIndexOf(': ') + 2)
    throw new SchemaError(
      `has the pattern '${shorten(pattern, 80)}', which is invalid with the flag u: ${reason}. JSON Schema always uses this flag. ` +
        'Escape only the characters ^ $ \\ . * + ? ( ) [ ] { } | and /',
    )
  }
}

function isValidWithoutFlags(pattern: string): boolean {
  try {
    new RegExp(pattern).test('')
    return true
  } catch {
    return false
  }
}
