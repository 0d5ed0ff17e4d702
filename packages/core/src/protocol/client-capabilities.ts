import type { InputRequest } from '../asking/question.js'
import { MissingCapabilityError } from '../errors/asking-errors.js'
import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import type { Revision } from './revisions.js'

/**
 * Refuses a question that the client did not say it can answer. Spec: basic, "Capabilities": a server asks for nothing
 * else.
 *
 * @throws MissingCapabilityError
 */
export function checkDeclared(request: InputRequest, capabilities: JsonObject, revision: Revision): void {
  const required = requiredFor(request)
  const isMet =
    isServedIn(request, revision) &&
    Object.entries(required).every(([name, modes]) => {
      const declared = capabilities[name]
      return isJsonObject(declared) && Object.keys(modes).every((mode) => isDeclared(mode, declared, revision))
    })
  // The code for it came with the modern era.
  if (!isMet) throw new MissingCapabilityError(required, revision.era === 'legacy' ? 'internalError' : undefined)
}

/** In the shape of a client's capabilities: `{ sampling: { tools: {} } }`. */
function requiredFor({ method, params = {} }: InputRequest): Record<string, Record<string, object>> {
  if (method === 'roots/list') return { roots: {} }
  if (method === 'elicitation/create') return { elicitation: params['mode'] === 'url' ? { url: {} } : { form: {} } }
  return {
    sampling: {
      ...(usesTools(params) ? { tools: {} } : {}),
      ...((params['includeContext'] ?? 'none') === 'none' ? {} : { context: {} }),
    },
  }
}

/** Whether a sampling request has anything to do with tools. */
function usesTools({ tools, toolChoice, messages }: JsonObject): boolean {
  if (tools !== undefined || toolChoice !== undefined) return true
  const blocks = Array.isArray(messages) ? messages.flatMap((message: JsonObject) => message['content']) : []
  return blocks.some(
    (block) => isJsonObject(block) && (block['type'] === 'tool_use' || block['type'] === 'tool_result'),
  )
}

function isServedIn({ method, params = {} }: InputRequest, { elicitation, samplingModes }: Revision): boolean {
  if (method === 'sampling/createMessage') return samplingModes || !usesTools(params)
  if (method === 'roots/list') return true
  return elicitation === 'full' || (elicitation === 'basic' && params['mode'] !== 'url')
}

/** Forms need no declaration of their own unless web pages have one; context needed none before it had one. */
function isDeclared(mode: string, declared: JsonObject, { samplingModes }: Revision): boolean {
  if (isJsonObject(declared[mode])) return true
  if (mode === 'form') return declared['url'] === undefined
  return mode === 'context' && !samplingModes
}
