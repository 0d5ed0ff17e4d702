import { isSchema, resolveSchema, type Schema } from '../client/schema-types.js'
import { safeText } from '../terminal.js'

/** Maximum depth of a schema. Deeper parts become `unknown`. */
const maxDepth = 40

/** Maximum number of schemas in the schemas of one server. Further schemas become `unknown`. */
const maxSchemas = 50_000

const maxDescription = 4000

const types = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'])

/** A schema of draft 4 with the keywords that have a type in TypeScript. */
export type PlainSchema = Record<string, unknown>

/** Characters that an editor does not show, or that change the direction of text. */
const invisible = /[\p{Cc}\p{Cf}\u2028\u2029]/u

export class Definitions {
  readonly schemas: Record<string, PlainSchema> = {}
  readonly #marker: string
  readonly #properties: string[] = []
  readonly #names = new Map<Schema, string>()
  readonly #used = new Set(['Tools', 'ToolContent', 'Record'])
  #schemas = 0

  /** @param input Everything that the server sent, as a text. */
  constructor(input: string) {
    let marker = 'property'
    while (input.includes(marker)) marker += '_'
    this.#marker = marker
  }

  /**
   * Replaces the name of a property, because the generator confuses names such as `enum` and `hasOwnProperty` with
   * keywords and methods.
   */
  hide(property: string): string {
    const count = this.#properties.push(property)
    // All names have the same length, so that line breaks in one tool do not depend on other tools.
    return `${this.#marker}${String(count - 1).padStart(6, '0')}`
  }

  reveal(generated: string): string {
    const pattern = new RegExp(`${this.#marker}(\\d{6,})`, 'g')
    return generated.replaceAll(pattern, (_, index: string) => propertyKey(this.#properties[Number(index)] ?? ''))
  }

  /** Counts a schema. @returns Whether the limit is exceeded. */
  count(): boolean {
    this.#schemas += 1
    return this.#schemas > maxSchemas
  }

  /** Returns a reference to a schema. The first reference copies the schema. */
  refer(target: Schema, wantedName: string, copy: () => PlainSchema): PlainSchema {
    const known = this.#names.get(target)
    if (known !== undefined) return { $ref: `#/definitions/${known}` }
    const name = this.#freeName(wantedName)
    this.#names.set(target, name)
    this.schemas[name] = copy()
    return { $ref: `#/definitions/${name}` }
  }

  /**
   * Replaces references that lead back to their own type with no member in between, such as two schemas that only contain
   * each other in `allOf`: TypeScript rejects such types.
   */
  cutCircles(): void {
    const states = new Map<string, 'open' | 'done'>()
    const visit = (name: string): void => {
      states.set(name, 'open')
      const schema = this.schemas[name]
      if (schema !== undefined) this.schemas[name] = cut(schema)
      states.set(name, 'done')
    }
    const cut = (schema: PlainSchema): PlainSchema => {
      const { $ref: reference } = schema
      if (typeof reference === 'string') {
        const name = reference.replace('#/definitions/', '')
        if (states.get(name) === 'open') return code('unknown')
        if (!states.has(name)) visit(name)
      }
      const combined = ['allOf', 'anyOf', 'oneOf'].filter((keyword) => Array.isArray(schema[keyword]))
      const members = combined.map((keyword) => [keyword, (schema[keyword] as PlainSchema[]).map(cut)])
      return { ...schema, ...Object.fromEntries(members) }
    }
    for (const name of Object.keys(this.schemas)) if (!states.has(name)) visit(name)
  }

  #freeName(wanted: string): string {
    const base = typeName(wanted)
    let name = base
    for (let count = 2; this.#used.has(name); count++) name = `${base}${count}`
    this.#used.add(name)
    return name
  }
}

function propertyKey(name: string): string {
  if (/^[a-z_$][\w$]*$/i.test(name)) return name
  if (/^[\w./: -]*$/.test(name)) return `'${name}'`
  const escape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(name).replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (found) =>
    found.split('').map(escape).join(''),
  )
}

function typeName(text: string): string {
  const words = text.match(/[a-z0-9]+/gi) ?? []
  const name = words.map((word) => word.replace(/^\d*[a-z]/i, (start) => start.toUpperCase())).join('')
  return /^[a-z]/i.test(name) ? name.replaceAll(/\d[a-z]/g, (pair) => pair.toUpperCase()) : `Type${name}`
}

/**
 * Copies the schema of a tool, but only keywords that have a type in TypeScript. Servers are not trusted: extensions
 * that insert code, references to files and URLs, and values that could end a comment must not reach the generator.
 */
export class SchemaReader {
  /** @param tool Name of the tool. The names of its definitions begin with this name. */
  constructor(
    private readonly root: Schema,
    private readonly tool: string,
    private readonly definitions: Definitions,
  ) {}

  readArguments(): PlainSchema {
    const { root } = this
    const branches = typeof root['$ref'] === 'string' ? [root] : alternativesOf(root)
    if (isFilled(root['properties'])) return this.read(root)
    if (branches.length === 0) {
      const { additionalProperties: others, patternProperties, properties } = root
      const isUnlisted = others === undefined && properties === undefined
      const isOpen = isUnlisted || others === true || isSchema(others) || isFilled(patternProperties)
      return isOpen ? this.read({ ...root, type: 'object' }) : code('Record<string, never>', root)
    }
    const areObjects = branches.every((each) => isFilled(resolveSchema(each, root)['properties']))
    return areObjects ? this.read(root) : code('Record<string, unknown>', root)
  }

  read(schema: unknown, depth = 0): PlainSchema {
    if (schema === false) return code('never')
    if (!isSchema(schema) || depth > maxDepth || this.definitions.count()) return code('unknown')
    if (typeof schema['$ref'] === 'string') return this.#follow(schema, schema['$ref'], depth)
    const values = 'const' in schema ? [schema['const']] : schema['enum']
    if (Array.isArray(values)) {
      return { ...comment(schema), ...readValues(values) }
    }
    const type = typesIn(schema)
    const combined = this.#combine(schema, depth)
    const isObject = type.includes('object') || isSchema(schema['properties'])
    const object = isObject ? this.#readObject(schema, depth, combined !== null) : null
    const list = type.includes('array') ? this.#readList(schema, depth) : null
    if (object !== null && type.length <= 1) return { ...comment(schema), ...object, ...combined }
    if (type.length > 1) {
      const anyOf = type.map((each) => (each === 'object' ? object : each === 'array' ? list : null) ?? { type: each })
      return { ...comment(schema), ...(combined === null ? { anyOf } : { allOf: [{ anyOf }, combined] }) }
    }
    if (type[0] === undefined) return combined === null ? code('unknown', schema) : { ...comment(schema), ...combined }
    return { ...comment(schema), type: type[0], ...list, ...combined }
  }

  #follow(schema: Schema, reference: string, depth: number): PlainSchema {
    const target = reference === '#' ? this.root : resolveSchema(schema, this.root)
    // A reference to a file, a URL or an anchor is left as it is.
    if (Object.keys(target).length === 0 || target === schema) return code('unknown', schema)
    const name = reference === '#' ? 'input' : (reference.split('/').at(-1) ?? '')
    return this.definitions.refer(target, `${this.tool} ${name}`, () => this.read(target, depth + 1))
  }

  #combine(schema: Schema, depth: number): PlainSchema | null {
    const combined = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => {
      const members = listIn(schema, keyword).map((each) => this.read(each, depth + 1))
      const known = members.filter(({ tsType }) => tsType !== 'unknown')
      // Omits a union with `unknown`, which accepts every value. Omits `unknown` from an intersection, where it has no
      // effect.
      const isVague = known.length === 0 || (keyword !== 'allOf' && known.length < members.length)
      return isVague ? [] : [[keyword, known] as const]
    })
    return combined.length === 0 ? null : Object.fromEntries(combined)
  }

  #readObject(schema: Schema, depth: number, isCombined: boolean): PlainSchema {
    const { properties, patternProperties, additionalProperties: others } = schema
    const given = isSchema(properties) ? Object.entries(properties) : []
    // Sorts the members, because a server may list them in random order.
    const sorted = given.toSorted(([one], [other]) => compare(one, other))
    const isOpen = others === true || isFilled(patternProperties)
    const values = sorted.length === 0 ? valuesOfMap(schema) : []
    if (values.length > 0) {
      const copies = values.map((each) => this.read(each, depth + 1))
      return { type: 'object', additionalProperties: copies.length === 1 ? copies[0] : { anyOf: copies } }
    }
    if (sorted.length === 0 && !isSchema(others)) {
      if (isCombined) return {}
      return code(others === false && !isOpen ? 'Record<string, never>' : 'Record<string, unknown>')
    }
    const required = new Set(listIn(schema, 'required'))
    const entries = sorted.map(
      ([name, each]) => [name, this.definitions.hide(name), this.read(each, depth + 1)] as const,
    )
    return {
      type: 'object',
      properties: Object.fromEntries(entries.map(([, hidden, each]) => [hidden, each])),
      required: entries.filter(([name]) => required.has(name)).map(([, hidden]) => hidden),
      additionalProperties: isSchema(others) && !isOpen ? this.read(others, depth + 1) : isOpen,
    }
  }

  #readList(schema: Schema, depth: number): PlainSchema {
    const { items, additionalItems, minItems, maxItems } = schema
    const first = listIn(schema, 'prefixItems').length > 0 ? listIn(schema, 'prefixItems') : listIn(schema, 'items')
    if (first.length === 0) return { type: 'array', items: this.read(items, depth + 1) }
    const rest = listIn(schema, 'prefixItems').length > 0 ? items : additionalItems
    const isClosed = rest === false || maxItems === first.length
    return {
      type: 'array',
      items: first.map((each) => this.read(each, depth + 1)),
      additionalItems: isClosed ? false : this.read(rest, depth + 1),
      ...(typeof minItems === 'number' && minItems >= 1
        ? { minItems: Math.min(Math.floor(minItems), first.length) }
        : {}),
    }
  }
}

const anyName = /^\^?(?:\(\.\*\)|\.\*)\$?$/

/** Returns the schemas of the values of a map. The list is empty if a value can have any type. */
function valuesOfMap({ patternProperties, additionalProperties: others }: Schema): readonly Schema[] {
  const patterns = isSchema(patternProperties) ? Object.entries(patternProperties) : []
  const isComplete = others === false || isSchema(others) || patterns.some(([pattern]) => anyName.test(pattern))
  const values = [...patterns.map(([, value]) => value), ...(isSchema(others) ? [others] : [])]
  return isComplete && values.every(isSchema) ? values : []
}

/** Reads the values of an enumeration, except objects, lists and values that cannot be shown. */
function readValues(values: readonly unknown[]): PlainSchema {
  if (values.length === 0 || values.some((value) => typeof value === 'object' && value !== null)) {
    return code('unknown')
  }
  return values.some((value) => typeof value === 'string' && invisible.test(value))
    ? { type: 'string' }
    : { enum: [...new Set(values)] }
}

/** Compares by code units, so that the order does not depend on the language of the machine. */
export function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}

/** Returns the description of a schema, without control characters and without text that could end a comment. */
export function comment({ description, deprecated }: Schema): PlainSchema {
  const text = typeof description === 'string' ? description.slice(0, maxDescription) : ''
  const lines = text.split(/\r\n?|[\n\u2028\u2029]/).map((line) => safeText(line).trimEnd())
  const safe = lines.join('\n').trim().replaceAll('*/', String.raw`*\/`)
  return { ...(safe === '' ? {} : { description: safe }), ...(deprecated === true ? { deprecated } : {}) }
}

export function code(tsType: string, described: Schema = {}): PlainSchema {
  return { ...comment(described), tsType }
}

function typesIn({ type }: Schema): readonly string[] {
  const given: unknown[] = Array.isArray(type) ? type : [type]
  return [...new Set(given)].filter((each) => typeof each === 'string').filter((each) => types.has(each))
}

function alternativesOf(schema: Schema): readonly unknown[] {
  return ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => listIn(schema, keyword))
}

function listIn(schema: Schema, keyword: string): readonly unknown[] {
  const value = schema[keyword]
  return Array.isArray(value) ? value : []
}

function isFilled(value: unknown): boolean {
  return isSchema(value) && Object.keys(value).length > 0
}
