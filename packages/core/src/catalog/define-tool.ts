import type { BootProblemCode } from '../errors/boot-error.js'
import type { Problems } from '../errors/problems.js'
import type { ToolOptions } from '../metadata/types.js'
import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import { type CompiledSchema, compileJsonSchema, compileTypeBox, SchemaProblem } from '../schema/compile-schema.js'
import { isModelClass } from '../schema/model.js'
import { Type } from '../schema/typebox.js'
import { findHeaderParameters, type HeaderParameter } from './header-parameters.js'
import type { ToolDefinition } from './tool-definition.js'
import { isToolName } from './tool-name.js'

/** What is left of a tool's options when its name and its handler are known. */
export interface NamedTool {
  readonly name: string
  readonly origin: string
  readonly source: ToolDefinition['source']
  readonly options: ToolOptions
}

/** Checks one tool and compiles its schemas. Whatever is wrong goes to `problems`; the definition is then not used. */
export function defineTool({ name, origin, source, options }: NamedTool, problems: Problems): ToolDefinition {
  if (!isToolName(name)) {
    problems.add('bad-name', `${origin}: '${name}' is no tool name. Use 1 to 128 of the characters A-Z a-z 0-9 _ . -`)
  }
  const report = (code: BootProblemCode, direction: string, fault: string): void =>
    problems.add(code, `The ${direction} schema of tool '${name}' (${origin}) ${fault}.`)

  const input = compile(options, 'input', report) ?? noArguments
  const { input: given } = options
  const { timeoutMs } = options
  if (timeoutMs !== undefined && !(timeoutMs > 0)) {
    problems.add('bad-option', `${origin}: timeoutMs is ${timeoutMs}. Give a number of milliseconds above 0.`)
  }
  return Object.freeze({
    name,
    title: options.title,
    description: options.description,
    icons: options.icons,
    annotations: options.annotations,
    meta: options._meta,
    input,
    output: compile(options, 'output', report) ?? null,
    model: isModelClass(given) && options.inputSchema === undefined ? given : null,
    headerParameters: readHeaderParameters(input.wire, report),
    timeoutMs,
    source,
    origin,
  })
}

type Report = (code: BootProblemCode, direction: string, fault: string) => void

function compile(options: ToolOptions, direction: 'input' | 'output', report: Report): CompiledSchema | undefined {
  const raw = direction === 'input' ? options.inputSchema : options.outputSchema
  const given = options[direction]
  try {
    if (raw !== undefined) return compileRaw(raw, direction)
    if (given !== undefined) return compileGiven(given, direction)
    if (direction in options) {
      report(
        'missing-schema',
        direction,
        'is undefined while its file loads: the two files import each other. Move the schema to a file of its own',
      )
    }
  } catch (error) {
    if (!(error instanceof SchemaProblem)) throw error
    report('bad-schema', direction, error.message)
  }
  return undefined
}

function compileRaw(schema: unknown, direction: 'input' | 'output'): CompiledSchema {
  if (!isJsonObject(schema)) throw new SchemaProblem(`is ${typeName(schema)}, not a JSON Schema object`)
  if (direction === 'input' && schema['type'] !== 'object') {
    throw new SchemaProblem('must have "type": "object" at its root, because arguments are an object')
  }
  return compileJsonSchema(schema)
}

function compileGiven(given: unknown, direction: 'input' | 'output'): CompiledSchema {
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

function readHeaderParameters(schema: JsonObject, report: Report): readonly HeaderParameter[] {
  const { found, faults } = findHeaderParameters(schema)
  for (const fault of faults) report('bad-header-parameter', 'input', fault)
  return found
}

/** A tool without input: listed as a closed empty object, as the spec recommends. */
const noArguments: CompiledSchema = Object.freeze({
  wire: Object.freeze({ type: 'object', additionalProperties: false }),
  check: (value: unknown) => Object.keys(value as object).length === 0,
  faults: (value: unknown) => [
    {
      keyword: 'additionalProperties',
      instancePath: '',
      params: { additionalProperties: Object.keys(value as object).slice(0, 8) },
      message: 'must be empty, because this tool takes none',
    },
  ],
  applyDefaults: null,
})

function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'function') return `the class ${value.name}`
  return typeof value === 'object' ? 'a plain object' : `a ${typeof value}`
}
