import type { JsonObject, ListedTool } from '@toolwright/core'
import { isObject } from '@toolwright/core/options'
import type { ToolListFormat } from '@toolwright/server'

/** A tool in the list format `microsoft-ai`: its parameters are flat, without nesting and enumerations. */
export interface MicrosoftAiTool {
  readonly name: string
  readonly description: string
  readonly parameters: Readonly<Record<string, MicrosoftAiParameter>>
}

interface MicrosoftAiParameter {
  readonly type: string
  readonly description?: string
  readonly required: boolean
}

/** Converts tools to the list format `microsoft-ai`. */
export function toMicrosoftAiTools(tools: readonly ListedTool[]): MicrosoftAiTool[] {
  return tools.map((tool) => ({ name: tool.name, description: describe(tool), parameters: parametersOf(tool) }))
}

/** Converts tools to the list format `mcp`: name, description and input schema. */
export function toMcpTools(tools: readonly ListedTool[]): Pick<ListedTool, 'name' | 'description' | 'inputSchema'>[] {
  return tools.map((tool) => ({ name: tool.name, description: describe(tool), inputSchema: tool.inputSchema }))
}

export const gatewayFormats: Readonly<Record<string, ToolListFormat>> = {
  'microsoft-ai': toMicrosoftAiTools,
  mcp: toMcpTools,
}

function describe({ description, title, name }: ListedTool): string {
  return description ?? title ?? name
}

function parametersOf({ inputSchema }: ListedTool): MicrosoftAiTool['parameters'] {
  const { properties, required } = inputSchema
  const names: readonly unknown[] = Array.isArray(required) ? required : []
  const entries = Object.entries(isObject(properties) ? properties : {})
  return Object.fromEntries(
    entries.map(([name, schema]) => [name, parameterOf(schema as JsonObject | boolean, names.includes(name))]),
  )
}

function parameterOf(schema: JsonObject | boolean, required: boolean): MicrosoftAiParameter {
  const { type, description } = typeof schema === 'boolean' ? ({} as JsonObject) : schema
  return {
    type: typeof type === 'string' ? type : 'string',
    ...(typeof description === 'string' ? { description } : {}),
    required,
  }
}
