import type { InputRequest } from '../../client-requests/client-request.js'
import { MissingCapabilityError } from '../../errors/client-request-errors.js'
import { isJsonObject, type JsonObject } from '../../rpc/messages.js'
import type { Revision } from '../revisions.js'

type Capabilities = Record<string, Record<string, object>>

/**
 * Rejects client requests whose required capabilities the client did not declare. Spec: basic, "Capabilities": a server must use
 * only declared capabilities.
 *
 * @throws MissingCapabilityError that names all missing capabilities.
 */
export function checkDeclared(requests: readonly InputRequest[], capabilities: JsonObject, revision: Revision): void {
  const missing: Capabilities = {}
  for (const request of requests) {
    const required = requiredFor(request)
    if (isServedIn(request, revision) && isMet(required, capabilities, revision)) continue
    for (const [name, modes] of Object.entries(required)) missing[name] = { ...missing[name], ...modes }
  }
  if (Object.keys(missing).length === 0) return
  // Only the modern era has an error code for missing capabilities.
  throw new MissingCapabilityError(missing, revision.era === 'legacy' ? 'internalError' : undefined)
}

function isMet(required: Capabilities, capabilities: JsonObject, revision: Revision): boolean {
  return Object.entries(required).every(([name, modes]) => {
    const declared = capabilities[name]
    return isJsonObject(declared) && Object.keys(modes).every((mode) => isDeclared(mode, declared, revision))
  })
}

function requiredFor({ method, params = {} }: InputRequest): Capabilities {
  if (method === 'roots/list') return { roots: {} }
  if (method === 'elicitation/create') return { elicitation: params['mode'] === 'url' ? { url: {} } : { form: {} } }
  return {
    sampling: {
      ...(usesTools(params) ? { tools: {} } : {}),
      ...((params['includeContext'] ?? 'none') === 'none' ? {} : { context: {} }),
    },
  }
}

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

/**
 * Whether a client supports a mode. Mode `form` is implied unless only `url` is declared. Mode `context` is implied in revisions
 * without sampling modes.
 */
function isDeclared(mode: string, declared: JsonObject, { samplingModes }: Revision): boolean {
  if (isJsonObject(declared[mode])) return true
  if (mode === 'form') return (declared['url'] ?? undefined) === undefined
  return mode === 'context' && !samplingModes
}

/**
 * Returns the settings that a client declares for an extension; `null` if the extension is not declared. Spec: extensions,
 * "Negotiation".
 */
export function declaredSettings({ extensions }: JsonObject, id: string): JsonObject | null {
  const settings = isJsonObject(extensions) ? extensions[id] : null
  return isJsonObject(settings) ? settings : null
}

export function requireExtension(capabilities: JsonObject, id: string): void {
  if (declaredSettings(capabilities, id) === null) throw new MissingCapabilityError({ extensions: { [id]: {} } })
}
