import type { McpContext } from '../../context/mcp-context.js'
import type { Principal } from '../../context/principal.js'
import type { Diagnostics } from '../../errors/diagnostics.js'
import { isObject } from '../../options/kinds.js'
import type { JsonObject } from '../../rpc/messages.js'

/** Lists whose entries an extension can add to. */
export type ExtendedList = 'tools' | 'prompts' | 'resources' | 'resourceTemplates'

/**
 * Serves a method of an extension: returns the members of its result. A `ProtocolError` is sent to the client. Any
 * other error is logged, and the client gets an internal error.
 */
export type ExtensionMethod = (params: JsonObject, context: McpContext) => JsonObject | Promise<JsonObject>

/** An addition to the protocol that clients can negotiate. Spec: extensions, "Negotiation". */
export interface Extension {
  /** Identifier with a vendor prefix: `com.example/quotas`. */
  readonly id: string
  /**
   * Returns the settings that the server declares under the identifier; `null` declares nothing to this caller. Legacy
   * clients get them under `experimental`. Default: `{}` for every caller.
   */
  readonly settings?: (principal: Principal | null) => JsonObject | null
  /**
   * Methods by name, such as `quotas/get`, in all revisions. They are subject to the server's default authorization
   * rule and to `limits.callTimeoutMs`. Default: none.
   */
  readonly methods?: Readonly<Record<string, ExtensionMethod>>
  /**
   * Returns members to add to the `_meta` of list entries. Called when a list is serialized, not for each request.
   * Default: none.
   */
  readonly listedMeta?: Readonly<Partial<Record<ExtendedList, (entry: JsonObject) => JsonObject | undefined>>>
}

/** First parts of method names that belong to the protocol. */
const reserved = new Set(
  'initialize ping notifications tools prompts resources completion logging server subscriptions tasks skills sampling elicitation roots rpc'.split(
    ' ',
  ),
)

const lists: readonly string[] = ['tools', 'prompts', 'resources', 'resourceTemplates'] satisfies ExtendedList[]

/** Reports malformed extensions, duplicates, and names of protocol methods. @returns Whether it is a list. */
export function checkExtensions(extensions: unknown, option: string, diagnostics: Diagnostics): boolean {
  if (!Array.isArray(extensions)) {
    diagnostics.addBadOption(option, extensions, 'Give an array of objects with an id.')
    return false
  }
  const owners = new Map<string, string>()
  const claim = (name: string, label: string): void => {
    const other = owners.get(name)
    if (other !== undefined) diagnostics.add('bad-option', `${label} is declared twice. Remove one of the two.`)
    owners.set(name, label)
  }
  for (const [index, extension] of (extensions as Extension[]).entries()) {
    const { id, settings, methods = {}, listedMeta = {} } = extension
    if (typeof id !== 'string' || !/^[a-z][\w.-]*\/[\w.-]+$/i.test(id)) {
      diagnostics.addBadOption(
        `${option}[${index}].id`,
        id,
        "Give a name with a vendor's prefix: 'com.example/quotas'.",
      )
      continue
    }
    claim(`id ${id}`, `extension '${id}'`)
    requireFunctions(`extension '${id}': `, { settings }, diagnostics)
    if (isObject(methods)) requireFunctions(`extension '${id}': methods.`, methods, diagnostics)
    else diagnostics.addBadOption(`extension '${id}': methods`, methods, 'Give an object of functions by name.')
    for (const name of Object.keys(methods)) {
      claim(`method ${name}`, `method '${name}'`)
      if (!reserved.has(name.split('/', 1)[0] as string)) continue
      diagnostics.add(
        'bad-option',
        `extension '${id}': the method '${name}' belongs to the protocol. Start its name with your own prefix.`,
      )
    }
    requireFunctions(`extension '${id}': listedMeta.`, listedMeta, diagnostics)
    for (const list of Object.keys(listedMeta).filter((name) => !lists.includes(name))) {
      diagnostics.add(
        'bad-option',
        `extension '${id}': listedMeta.${list} is not a list. Give one of ${lists.join(', ')}.`,
      )
    }
  }
  return true
}

function requireFunctions(prefix: string, members: object, diagnostics: Diagnostics): void {
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined && typeof value !== 'function')
      diagnostics.addBadOption(prefix + name, value, 'Give a function.')
  }
}
