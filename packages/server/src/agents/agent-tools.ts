import { type CallToolResult, type JsonObject, type ListedTool, type McpServer, ProtocolError } from '@toolwright/core'
import { toFlatObject } from '../flat-object.js'
import { type NameRule, nameTools } from '../vendor-names.js'
import type { AgentToolOptions } from './options.js'
import { toStrictObject } from './strict-object.js'

export interface AgentTool {
  /** Name that the vendor accepts. */
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
  readonly isStrict: boolean
  readonly needsApproval: boolean
  /** Calls the tool. An error for the model is a result with `isError`. @throws the reason of the signal when it aborts */
  readonly run: (
    args: unknown,
    call: { readonly id?: string | undefined; readonly signal?: AbortSignal | undefined },
  ) => Promise<CallToolResult>
}

/** Lists the tools of the caller. Their calls apply the rules, limits and hooks of the server. */
export async function listAgentTools(
  server: McpServer,
  options: AgentToolOptions,
  names: NameRule,
): Promise<readonly AgentTool[]> {
  const tools = await server.listTools({ principal: options.principal })
  return nameTools(tools, names).map(([name, tool]) => createAgentTool(server, options, name, tool))
}

function createAgentTool(server: McpServer, options: AgentToolOptions, name: string, tool: ListedTool): AgentTool {
  const { principal, approval = isDestructive, onElicit, onProgress } = options
  const flat = toFlatObject(tool.inputSchema)
  const strict = options.strict === true ? toStrictObject(flat, server.limits.maxDepth) : null
  return {
    name,
    description: tool.description ?? tool.title ?? tool.name,
    parameters: strict?.schema ?? flat,
    isStrict: strict !== null,
    needsApproval: approval !== false && approval(tool),
    run: async (given, { id, signal }) => {
      const call = { tool: tool.name, id }
      const args = (strict?.restore(given) ?? given) as object
      try {
        return await server.callTool(tool.name, args, {
          principal,
          signal,
          onElicit: onElicit && ((request, asked) => onElicit(request, { ...call, ...asked })),
          onProgress: onProgress && ((update) => onProgress(update, call)),
        })
      } catch (error) {
        if (error instanceof ProtocolError) return errorResult(describeRejection(error))
        throw error
      }
    },
  }
}

function isDestructive({ annotations }: ListedTool): boolean {
  return annotations?.destructiveHint === true
}

/** The result of a call that the server rejected: the rules or the catalog can have changed since the tools were listed. */
export function errorResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

function describeRejection({ message, data }: ProtocolError): string {
  const detail = data?.['detail']
  return typeof detail === 'string' ? `${message}: ${detail}` : message
}
