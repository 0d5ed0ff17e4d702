import type { ValidationError } from './describe-errors.js'
import { isJsonObject, type JsonObject } from './json.js'
import { toPointerKey } from './json-pointer.js'
import { isTooLong } from './keywords.js'
import { countParts, takeStep, withSteps } from './max-work.js'
import { collectMembers } from './members.js'
import type { Resolved } from './resolve-references.js'
import { hasSubschemas, listOf } from './subschemas.js'
import { checkNow, compileCheck, errorsOf, type TRefinement } from './typebox.js'

/** Maximum number of parts of a value for which all errors are collected. For larger values, only the first error is reported. */
const maxParts = 1000

/** Maximum number of steps to collect all errors. A step takes a few microseconds. */
const maxSteps = 10_000

/**
 * Finds the errors of a value. TypeBox takes a second to explain an array of 20,000 items, and describes neither the branches of `if`
 * nor the members of a union. Errors of a union contain those of its branches.
 */
export class Explainer {
  readonly #checks = new Map<JsonObject, (value: unknown) => boolean>()
  /** Whether to stop at the first error. Parts of large values are checked by compiled validators. */
  #isFirst = false

  /** @param local The schema that pointers of union branches refer to. */
  constructor(
    private readonly schema: Resolved,
    private readonly local: JsonObject,
  ) {}

  errorsOf(value: unknown): readonly ValidationError[] {
    const run = (isFirst: boolean): readonly ValidationError[] => {
      this.#isFirst = isFirst
      return this.#errorsAt(this.schema.root, value, '')
    }
    const all = countParts(value, maxParts) > maxParts ? undefined : withSteps(maxSteps, () => run(false))
    return all ?? run(true)
  }

  #errorsAt(schema: unknown, value: unknown, path: string): readonly ValidationError[] {
    const errors: ValidationError[] = []
    this.#visit(schema, value, path, errors)
    return errors
  }

  #visit(schema: unknown, value: unknown, path: string, errors: ValidationError[]): void {
    takeStep()
    if (schema === false) errors.push({ keyword: 'boolean', instancePath: path, params: {} })
    if (!isJsonObject(schema)) return
    const known = errors.length
    this.#leaf(schema, value, path, errors)
    if (!this.#isDone(errors, known)) this.#members(schema, value, path, errors)
    if (!this.#isDone(errors, known)) this.#items(schema, value, path, errors)
    if (!this.#isDone(errors, known)) this.#inPlace(schema, value, path, errors)
    if (!this.#isDone(errors, known)) this.#unions(schema, value, path, errors)
    // These keywords depend on the others.
    if (errors.length === known) this.#unevaluated(schema, value, path, errors)
    if (errors.length === known) refine(schema, value, path, errors)
  }

  #isDone(errors: readonly ValidationError[], known: number): boolean {
    return this.#isFirst && errors.length > known
  }

  // TypeBox explains the keywords without subschemas.
  #leaf(schema: JsonObject, value: unknown, path: string, errors: ValidationError[]): void {
    const { type, maxLength } = schema
    const leaf =
      typeof value === 'string' && isTooLong(value, maxLength)
        ? { type, maxLength }
        : Object.fromEntries(Object.entries(schema).filter(([key]) => !hasSubschemas(key) && key !== '$ref'))
    for (const { keyword, params, message } of errorsOf(leaf, this.schema.targets, value)) {
      errors.push({ keyword, instancePath: path, params, message })
    }
  }

  #members(schema: JsonObject, value: unknown, path: string, errors: ValidationError[]): void {
    if (!isJsonObject(value)) return
    const { additionalProperties, propertyNames } = schema
    const known = errors.length
    const named = objectOf(schema['properties'])
    const patterns = Object.entries(objectOf(schema['patternProperties'])).map(
      ([pattern, part]) => [new RegExp(pattern, 'u'), part] as const,
    )
    const unknown: string[] = []
    const misnamed: string[] = []
    for (const [name, member] of Object.entries(value)) {
      const matching = patterns.filter(([pattern]) => pattern.test(name))
      for (const [, part] of matching) this.#visitOne(part, member, path, name, errors)
      if (matching.length === 0 && !Object.hasOwn(named, name)) {
        if (additionalProperties === false) unknown.push(name)
        else this.#visitOne(additionalProperties, member, path, name, errors)
      }
      if (propertyNames !== undefined && !this.#fits(propertyNames, name)) misnamed.push(name)
      if (this.#isDone(errors, known)) return
    }
    if (unknown.length > 0) errors.push(errorOf('additionalProperties', path, { additionalProperties: unknown }))
    for (const [name, part] of Object.entries(named)) {
      if (this.#isDone(errors, known)) return
      const member = Object.hasOwn(value, name) ? value[name] : undefined
      if (member !== undefined) this.#visit(part, member, `${path}/${toPointerKey(name)}`, errors)
    }
    if (misnamed.length > 0) errors.push(errorOf('propertyNames', path, { propertyNames: misnamed }))
    for (const [name, part] of Object.entries(objectOf(schema['dependentSchemas']))) {
      if (Object.hasOwn(value, name)) this.#visit(part, value, path, errors)
    }
  }

  #items(schema: JsonObject, value: unknown, path: string, errors: ValidationError[]): void {
    if (!Array.isArray(value)) return
    const { items, prefixItems = items, additionalItems, contains, minContains = 1, maxContains } = schema
    const known = errors.length
    const first = listOf(prefixItems)
    const others = Array.isArray(items) ? additionalItems : items
    for (let index = 0; index < value.length; index++) {
      const part = index < first.length ? first[index] : others
      this.#visitOne(part, value[index], path, index, errors)
      if (this.#isDone(errors, known)) return
    }
    if (contains === undefined) return
    const found = value.filter((item) => this.#fits(contains, item)).length
    if (found < Number(minContains)) errors.push(errorOf('contains', path, { minContains }))
    if (found > Number(maxContains ?? Infinity)) errors.push(errorOf('contains', path, { maxContains }))
  }

  #inPlace(schema: JsonObject, value: unknown, path: string, errors: ValidationError[]): void {
    const { $ref, allOf, not, if: condition } = schema
    const known = errors.length
    const parts = [...listOf(allOf)]
    if (typeof $ref === 'string') parts.unshift(this.schema.targets[$ref])
    if (condition !== undefined) parts.push(schema[this.#fits(condition, value) ? 'then' : 'else'])
    for (const part of parts) {
      if (this.#isDone(errors, known)) return
      this.#visit(part, value, path, errors)
    }
    if (not !== undefined && this.#fits(not, value)) errors.push(errorOf('not', path, {}))
  }

  #unions(schema: JsonObject, value: unknown, path: string, errors: ValidationError[]): void {
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const parts = schema[keyword]
      if (!Array.isArray(parts)) continue
      const branches = parts.map((part) => this.#errorsAt(part, value, path))
      const matching = branches.filter((branch) => branch.length === 0).length
      if (keyword === 'anyOf' ? matching > 0 : matching === 1) continue
      const members = () => parts.map((part) => collectMembers(objectOf(part), this.local))
      errors.push(errorOf(keyword, path, { branches: matching === 0 ? branches : [], members }))
    }
  }

  #unevaluated(schema: JsonObject, value: unknown, path: string, errors: ValidationError[]): void {
    const keywords = ['unevaluatedProperties', 'unevaluatedItems'].filter((keyword) => keyword in schema)
    if (keywords.length === 0) return
    if (this.#isFirst) {
      if (!this.#fits(schema, value)) errors.push(errorOf(String(keywords[0]), path, {}))
      return
    }
    for (const { keyword, instancePath, params } of errorsOf(schema, this.schema.targets, value)) {
      if (keywords.includes(keyword) && instancePath === '') errors.push(errorOf(keyword, path, params))
    }
  }

  #visitOne(schema: unknown, value: unknown, path: string, key: string | number, errors: ValidationError[]): void {
    if (this.#isFirst && this.#fits(schema, value)) return
    this.#visit(schema, value, `${path}/${toPointerKey(String(key))}`, errors)
  }

  #fits(schema: unknown, value: unknown): boolean {
    if (!isJsonObject(schema)) return schema !== false
    if (!this.#isFirst) return checkNow(schema, this.schema.targets, value)
    let check = this.#checks.get(schema)
    if (check === undefined) {
      check = compileCheck(schema, this.schema.targets)
      this.#checks.set(schema, check)
    }
    return check(value)
  }
}

function errorOf(keyword: string, instancePath: string, params: object): ValidationError {
  return { keyword, instancePath, params }
}

function refine(schema: JsonObject, value: unknown, path: string, errors: ValidationError[]): void {
  for (const refinement of listOf(schema['~refine']) as readonly TRefinement[]) {
    if (!refinement.check(value)) errors.push({ ...errorOf('~refine', path, {}), message: refinement.error(value) })
  }
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}
