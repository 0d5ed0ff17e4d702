import type { JsonObject } from '../rpc/messages.js'
import { toFlatObject } from './flat-object.js'
import type { ListedTool } from './listed-tool.js'
import { anthropicNames, nameTools, openAiNames } from './vendor-names.js'

/** Writes a list of tools as somebody else wants it: all of them, on one page. */
export type ToolListFormat = (tools: readonly ListedTool[]) => object

/** A tool as OpenAI's chat completions list it. */
export interface OpenAiTool {
  readonly type: 'function'
  readonly function: { readonly name: string; readonly description?: string; readonly parameters: JsonObject }
}

/**
 * `tools` of OpenAI's chat completions, and of the many APIs that are like it.
 *
 * @throws ProtocolError when two tools would have one name; {@link originalToolName} finds the way back.
 */
export function toOpenAiTools(tools: readonly ListedTool[]): OpenAiTool[] {
  return nameTools(tools, openAiNames).map(([name, tool]) => ({
    type: 'function',
    function: { name, ...describe(tool), parameters: toFlatObject(tool.inputSchema) },
  }))
}

/** A tool as OpenAI's responses list it. */
export interface OpenAiResponsesTool {
  readonly type: 'function'
  readonly name: string
  readonly description?: string
  readonly parameters: { [keyword: string]: unknown }
  readonly strict: false
}

/** `tools` of OpenAI's responses. Otherwise as {@link toOpenAiTools}. */
export function toOpenAiResponsesTools(tools: readonly ListedTool[]): OpenAiResponsesTool[] {
  return nameTools(tools, openAiNames).map(([name, tool]) => ({
    type: 'function',
    name,
    ...describe(tool),
    parameters: toFlatObject(tool.inputSchema),
    // Strict is what responses are when nothing is said, and takes only schemas without optional properties.
    strict: false,
  }))
}

/** A tool as Anthropic's messages list it. */
export interface AnthropicTool {
  readonly name: string
  readonly description?: string
  readonly input_schema: { readonly type: 'object'; readonly [keyword: string]: unknown }
}

/** `tools` of Anthropic's messages. Otherwise as {@link toOpenAiTools}. */
export function toAnthropicTools(tools: readonly ListedTool[]): AnthropicTool[] {
  return nameTools(tools, anthropicNames).map(([name, tool]) => ({
    name,
    ...describe(tool),
    input_schema: { ...toFlatObject(tool.inputSchema), type: 'object' },
  }))
}

/** `tools` of Ollama's chat, which takes every name and schema. */
export function toOllamaTools(tools: readonly ListedTool[]): OpenAiTool[] {
  return tools.map((tool) => ({
    type: 'function',
    function: { name: tool.name, ...describe(tool), parameters: { properties: {}, ...tool.inputSchema } },
  }))
}

/** A tool as the Vercel AI SDK has it. */
export interface AiSdkTool<Schema> {
  readonly description?: string
  readonly inputSchema: Schema
  readonly execute?: (args: unknown, call: { readonly abortSignal?: AbortSignal | undefined }) => unknown
}

/** How tools are made for the Vercel AI SDK. */
export interface AiSdkOptions<Schema> {
  /** `jsonSchema` of the package `ai`, which takes a schema only through it. Default: the schema stays as it is. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly jsonSchema?: (schema: any) => Schema
  /** Runs a tool, such as `(name, args, signal) => host.mcp.callTool(name, args, { signal })`. Default: nobody does. */
  readonly execute?: (name: string, args: object, signal: AbortSignal | undefined) => unknown
}

/**
 * `tools` of the Vercel AI SDK (5 and newer): an object whose keys are the names. It hands them on to whichever vendor
 * the model is from, so they are as OpenAI takes them. Otherwise as {@link toOpenAiTools}.
 */
export function toAiSdkTools<Schema = JsonObject>(
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

/** The formats that are served as `tools/list/NAME` unless the server says otherwise. */
export const toolListFormats: Readonly<Record<string, ToolListFormat>> = Object.freeze({
  openai: toOpenAiTools,
  'openai-responses': toOpenAiResponsesTools,
  anthropic: toAnthropicTools,
  ollama: toOllamaTools,
  'ai-sdk': (tools: readonly ListedTool[]) => toAiSdkTools(tools),
})

function describe({ description, title }: ListedTool): { readonly description?: string } {
  const text = description ?? title
  return text === undefined ? {} : { description: text }
}
