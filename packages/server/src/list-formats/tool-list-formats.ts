import type { JsonObject, ListedTool } from '@toolwright/core'
import { toFlatObject } from '../flat-object.js'
import { anthropicNames, nameTools, openAiNames } from '../vendor-names.js'

/** A converter of tools to the format of a vendor. The converter receives all tools, without pagination. */
export type ToolListFormat = (tools: readonly ListedTool[]) => object

/** A tool in OpenAI's Chat Completions API. */
export interface OpenAiTool {
  readonly type: 'function'
  readonly function: { readonly name: string; readonly description?: string; readonly parameters: JsonObject }
}

/**
 * Converts tools to the parameter `tools` of OpenAI's Chat Completions API, and of the many compatible APIs.
 * {@link originalToolName} converts the names back.
 *
 * @throws ProtocolError when two tools would have the same name.
 */
export function toOpenAiTools(tools: readonly ListedTool[]): OpenAiTool[] {
  return nameTools(tools, openAiNames).map(([name, tool]) => ({
    type: 'function',
    function: { name, ...describe(tool), parameters: toFlatObject(tool.inputSchema) },
  }))
}

/** A tool in OpenAI's Responses API. */
export interface OpenAiResponsesTool {
  readonly type: 'function'
  readonly name: string
  readonly description?: string
  readonly parameters: { [keyword: string]: unknown }
  readonly strict: false
}

/** Converts tools to the parameter `tools` of OpenAI's Responses API. Converts names as {@link toOpenAiTools} does. */
export function toOpenAiResponsesTools(tools: readonly ListedTool[]): OpenAiResponsesTool[] {
  return nameTools(tools, openAiNames).map(([name, tool]) => ({
    type: 'function',
    name,
    ...describe(tool),
    parameters: toFlatObject(tool.inputSchema),
    // By default, the Responses API is strict, and rejects schemas with optional properties.
    strict: false,
  }))
}

/** A tool in Anthropic's Messages API. */
export interface AnthropicTool {
  readonly name: string
  readonly description?: string
  readonly input_schema: { readonly type: 'object'; readonly [keyword: string]: unknown }
}

/** Converts tools to the parameter `tools` of Anthropic's Messages API. Converts names as {@link toOpenAiTools} does. */
export function toAnthropicTools(tools: readonly ListedTool[]): AnthropicTool[] {
  return nameTools(tools, anthropicNames).map(([name, tool]) => ({
    name,
    ...describe(tool),
    input_schema: { ...toFlatObject(tool.inputSchema), type: 'object' },
  }))
}

/** Converts tools to the parameter `tools` of Ollama's chat API. Names stay unchanged, because Ollama accepts all names. */
export function toOllamaTools(tools: readonly ListedTool[]): OpenAiTool[] {
  return tools.map((tool) => ({
    type: 'function',
    function: { name: tool.name, ...describe(tool), parameters: { properties: {}, ...tool.inputSchema } },
  }))
}

export interface AiSdkTool<Schema> {
  readonly description?: string
  readonly inputSchema: Schema
  readonly execute?: (args: unknown, call: { readonly abortSignal?: AbortSignal | undefined }) => unknown
}

export interface AiSdkOptions<Schema> {
  /**
   * The function `jsonSchema` of the package `ai`. The SDK accepts only schemas that this function returned. Default: the schema
   * stays unchanged.
   */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly jsonSchema?: (schema: any) => Schema
  /** Runs a tool: `(name, args, signal) => host.mcp.callTool(name, args, { signal })`. Default: the tools have no `execute`. */
  readonly execute?: (name: string, args: object, signal: AbortSignal | undefined) => unknown
}

export function toListedAiSdkTools<Schema = JsonObject>(
  tools: readonly ListedTool[],
  { jsonSchema = (schema: JsonObject) => schema as Schema, execute }: AiSdkOptions<Schema> = {},
): Record<string, AiSdkTool<Schema>> {
  const entries = nameTools(tools, openAiNames).map(([name, tool]): [string, AiSdkTool<Schema>] => [
    name,
    {
      ...describe(tool),
      inputSchema: jsonSchema(toFlatObject(tool.inputSchema)),
      ...(execute === undefined
        ? {}
        : { execute: (args, { abortSignal }) => execute(tool.name, args as object, abortSignal) }),
    },
  ])
  return Object.fromEntries(entries)
}

/** The formats that are served as `tools/list/NAME` by default. */
export const toolListFormats: Readonly<Record<string, ToolListFormat>> = Object.freeze({
  openai: toOpenAiTools,
  'openai-responses': toOpenAiResponsesTools,
  anthropic: toAnthropicTools,
  ollama: toOllamaTools,
  'ai-sdk': (tools: readonly ListedTool[]) => toListedAiSdkTools(tools),
})

function describe({ description, title }: ListedTool): { readonly description?: string } {
  const text = description ?? title
  return text === undefined ? {} : { description: text }
}
