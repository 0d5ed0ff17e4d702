import type { BootProblemCode } from '../errors/boot-error.js'
import { describeValue } from '../errors/describe-value.js'
import type { Problems } from '../errors/problems.js'
import { describeThrown } from '../errors/problems.js'
import { shorten } from '../errors/protocol-error.js'
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
    const found = typeof name === 'string' ? `'${shorten(name)}'` : describeValue(name)
    const message = `${origin}: ${found} is no tool name. Give it one of 1 to 128 of the characters A-Z a-z 0-9 _ . -`
    problems.add('bad-name', message)
  }
  const report: Report = (code, direction, fault, cause) =>
    problems.add(code, `${origin}: the ${direction} schema ${fault}.`, cause)

  const input = compile(options, 'input', report) ?? noArguments
  const { input: given } = options
  const { timeoutMs } = options
  if (timeoutMs !== undefined && !(timeoutMs > 0)) {
    problems.add(
      'bad-option',
      `${origin}: timeoutMs is ${describeValue(timeoutMs)}. Give a number of milliseconds above 0.`,
    )
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

type Direction = 'input' | 'output'

type Report = (code: BootProblemCode, direction: Direction, fault: string, cause?: unknown) => void

function compile(options: ToolOptions, direction: Direction, report: Report): CompiledSchema | undefined {
  const raw = options[`${direction}Schema`]
  const given = options[direction]
  try {
    if (raw !== undefined) return compileRaw(raw, direction)
    if (given !== undefined) return compileGiven(given, direction)
  } catch (error) {
    if (error instanceof SchemaProblem) report('bad-schema', direction, error.message)
    // Such as the syntax error of a `pattern`.
    else report('bad-schema', direction, `cannot be used: ${describeThrown(error)}`, error)
  }
  return undefined
}

function compileRaw(schema: unknown, direction: Direction): CompiledSchema {
  if (!isJsonObject(schema))
    throw new SchemaProblem(`is ${describeValue(schema)}. Give ${direction}Schema a JSON object`)
  const { type } = schema
  if (direction === 'input' && type !== 'object') {
    const found = type === undefined ? 'no type' : `the type ${JSON.stringify(type)}`
    throw new SchemaProblem(`has ${found} at its root. Arguments are an object: write "type": "object"`)
  }
  return compileJsonSchema(schema)
}

function compileGiven(given: unknown, direction: Direction): CompiledSchema {
  if (isModelClass(given)) return compileTypeBox(given.schema)
  if (!isTypeBox(given)) {
    throw new SchemaProblem(
      `is ${describeValue(given)}. Give a TypeBox schema or a Model class, or plain JSON Schema as ${direction}Schema`,
    )
  }
  if (direction === 'input' && !Type.IsObject(given)) {
    const kind = (given as { readonly '~kind'?: string })['~kind'] ?? 'Unsafe'
    throw new SchemaProblem(`is a Type.${kind}. Arguments are an object: give a Type.Object({ … })`)
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
