import type { BootProblemCode } from '../errors/boot-error.js'
import { isJsonObject } from '../rpc/messages.js'
import { type CompiledSchema, compileJsonSchema, compileTypeBox, SchemaProblem } from '../schema/compile-schema.js'
import { isModelClass } from '../schema/model.js'
import { Type } from '../schema/typebox.js'

export type SchemaDirection = 'input' | 'output'

/** Reports a fault that completes "The input schema of tool 'x' …". */
export type ReportFault = (code: BootProblemCode, direction: SchemaDirection, fault: string) => void

/** The options that can name a schema. */
export interface SchemaOptions {
  readonly input?: unknown
  readonly output?: unknown
  readonly inputSchema?: unknown
  readonly outputSchema?: unknown
}

/** Compiles the schema that options name for a direction; `undefined` when there is none, or none that can be used. */
export function compileGivenSchema(
  options: SchemaOptions,
  direction: SchemaDirection,
  report: ReportFault,
): CompiledSchema | undefined {
  const raw = options[`${direction}Schema`]
  const given = options[direction]
  try {
    if (raw !== undefined) return compileRaw(raw, direction)
    if (given !== undefined) return compileGiven(given, direction)
  } catch (error) {
    if (!(error instanceof SchemaProblem)) throw error
    report('bad-schema', direction, error.message)
    return undefined
  }
  if (direction in options) {
    const fault =
      'is undefined while its file loads: the two files import each other. Move the schema to a file of its own'
    report('missing-schema', direction, fault)
  }
  return undefined
}

function compileRaw(schema: unknown, direction: SchemaDirection): CompiledSchema {
  if (!isJsonObject(schema)) throw new SchemaProblem(`is ${typeName(schema)}, not a JSON Schema object`)
  if (direction === 'input' && schema['type'] !== 'object') {
    throw new SchemaProblem('must have "type": "object" at its root, because arguments are an object')
  }
  return compileJsonSchema(schema)
}

function compileGiven(given: unknown, direction: SchemaDirection): CompiledSchema {
  if (isModelClass(given)) return compileTypeBox(given.schema)
  if (!isTypeBox(given)) {
    throw new SchemaProblem(
      `is ${typeName(given)}, not a TypeBox schema or a Model class. For plain JSON Schema use ${direction}Schema`,
    )
  }
  if (direction === 'input' && !Type.IsObject(given)) {
    throw new SchemaProblem('is no Type.Object. Arguments are an object: wrap it in Type.Object({ … })')
  }
  return compileTypeBox(given)
}

/** TypeBox marks what it makes; a look-alike JSON Schema has no mark. */
function isTypeBox(value: unknown): value is object {
  return typeof value === 'object' && value !== null && ('~kind' in value || '~unsafe' in value)
}

/** For a feature without input: listed as a closed empty object, as the spec recommends. */
export const noArguments: CompiledSchema = Object.freeze({
  wire: Object.freeze({ type: 'object', additionalProperties: false }),
  check: (value: unknown) => Object.keys(value as object).length === 0,
  faults: (value: unknown) => [
    {
      keyword: 'additionalProperties',
      instancePath: '',
      params: { additionalProperties: Object.keys(value as object).slice(0, 8) },
      message: 'must be empty, because this one takes none',
    },
  ],
  applyDefaults: null,
  convert: null,
})

function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'function') return `the class ${value.name}`
  return typeof value === 'object' ? 'a plain object' : `a ${typeof value}`
}
