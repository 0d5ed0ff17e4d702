import { createHash } from 'node:crypto'
import { type ListedTool, ProtocolError } from '@toolwright/core'

/** The names that a vendor accepts for tools: at most `maxLength` characters, all of `A-Z a-z 0-9 _` and maybe `-`. */
export interface NameRule {
  readonly vendor: string
  readonly maxLength: number
  readonly allowsHyphens: boolean
}

/**
 * Pairs each tool with a name that the vendor accepts: the name of the tool itself, if possible.
 *
 * @throws ProtocolError when two tools would have the same name.
 */
export function nameTools(tools: readonly ListedTool[], rule: NameRule): (readonly [string, ListedTool])[] {
  const taken = new Map<string, string>()
  return tools.map((tool) => {
    const name = adaptName(tool.name, rule)
    const other = taken.get(name)
    if (other !== undefined) throw clash(other, tool.name, name, rule)
    taken.set(name, tool.name)
    return [name, tool] as const
  })
}

/**
 * Finds the tool by the name that a model returned. Vendors allow only some of the characters of MCP names, so `files.read` is
 * sent to them as `files_read`.
 *
 * @param name The name that the model returned.
 * @param tools The tools that were converted for the vendor.
 * @returns The original name of the tool; `name` itself when no tool matches.
 */
export function originalToolName(name: string, tools: readonly Pick<ListedTool, 'name'>[]): string {
  if (tools.some((tool) => tool.name === name)) return name
  const rules = [openAiNames, anthropicNames]
  const found = tools.find((tool) => rules.some((rule) => adaptName(tool.name, rule) === name))
  return found?.name ?? name
}

/** OpenAI rejects other names with status 400, "string does not match pattern". */
export const openAiNames: NameRule = { vendor: 'OpenAI', maxLength: 64, allowsHyphens: true }

/** The function `tool` of the SDK replaces hyphens, and does not find names that become equal. */
export const openAiAgentsNames: NameRule = { vendor: 'the OpenAI Agents SDK', maxLength: 64, allowsHyphens: false }

export const anthropicNames: NameRule = { vendor: 'Anthropic', maxLength: 128, allowsHyphens: true }

const hashLength = 8

/**
 * Replaces invalid characters. A long name ends with a hash of the whole name, so that long names with the same beginning stay
 * different.
 */
function adaptName(name: string, { maxLength, allowsHyphens }: NameRule): string {
  const allowed = name.replace(allowsHyphens ? /[^A-Za-z0-9_-]/g : /[^A-Za-z0-9_]/g, '_')
  if (allowed.length <= maxLength) return allowed
  const hash = createHash('sha256').update(name).digest('hex').slice(0, hashLength)
  return `${allowed.slice(0, maxLength - hashLength - 1)}_${hash}`
}

function clash(first: string, second: string, name: string, { vendor, allowsHyphens }: NameRule): ProtocolError {
  return new ProtocolError(
    'internalError',
    `The tools '${first}' and '${second}' would both be named '${name}' for ${vendor}, which only allows ` +
      `${allowsHyphens ? 'letters, digits, "_" and "-"' : 'letters, digits and "_"'}. Rename one of them`,
  )
}
