import { type JsonObject, Type } from '@toolwright/core'
import { describeThrown } from '@toolwright/core/options'
import { checkShape } from '@toolwright/schema'
import { parse } from 'yaml'

/**
 * A problem with the front matter of a `SKILL.md`. The error message continues a sentence that begins with the path of the file.
 */
export class FrontMatterError extends Error {}

export interface FrontMatter extends JsonObject {
  readonly name: string
  readonly description: string
}

/** Maximum length of front matter in characters. Every list of skills includes the front matter. */
const maxLength = 16 * 1024

const fenced = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/

// Other keys are for hosts that load skills, and are not checked. Spec: Skills extension, "Frontmatter".
const describeMistake = checkShape(
  Type.Object({
    name: Type.String({ pattern: '^(?!.*--)[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$' }),
    description: Type.String({ minLength: 1, maxLength: 1024 }),
    metadata: Type.Optional(Type.Object({})),
  }),
)

/** Prefix of keys in `metadata` that only extensions of the protocol can define. */
const reserved = 'io.modelcontextprotocol/'

export function readFrontMatter(text: string): FrontMatter {
  const yaml = fenced.exec(text.slice(0, maxLength))?.[1]
  if (yaml === undefined) {
    throw new FrontMatterError(
      `does not begin with front matter (a line ---, YAML and a line ---) of at most ${maxLength} characters`,
    )
  }
  const value = parseYaml(yaml)
  const mistake = describeMistake(value, 'it')
  if (mistake !== null) throw new FrontMatterError(`has invalid front matter: ${mistake}`)
  const frontMatter = value as FrontMatter
  const taken = Object.keys(frontMatter['metadata'] ?? {}).find((key) => key.startsWith(reserved))
  if (taken !== undefined) throw new FrontMatterError(`has metadata '${taken}', whose prefix is reserved`)
  return frontMatter
}

function parseYaml(yaml: string): unknown {
  const json = toJson(yaml)
  if (json.length <= maxLength) return JSON.parse(json)
  // The length is checked again as JSON, because YAML aliases can expand to much longer JSON.
  throw new FrontMatterError(`has front matter of more than ${maxLength} characters as JSON`)
}

function toJson(yaml: string): string {
  try {
    const value: unknown = parse(yaml, { logLevel: 'error' })
    return JSON.stringify(value, rejectWhatJsonLacks) ?? 'null'
  } catch (error) {
    throw new FrontMatterError(`has front matter that cannot be read: ${describeThrown(error).trim()}`)
  }
}

/** Rejects numbers that JSON cannot express. Clients compare the JSON with the YAML, so `.inf` must not become `null`. */
function rejectWhatJsonLacks(key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Error(`'${key}' is ${value}, which JSON cannot express`)
  return value
}
