import { nearestName } from '@toolwright/core/wire'
import { UnknownToolError } from '../errors.js'

/** Names of the listed tools. For an unknown name, the tools are listed again. */
export class ToolNames {
  #known: ReadonlySet<string> = new Set()

  /** @param list Lists the names of all tools. */
  constructor(private readonly list: () => Promise<readonly string[]>) {}

  /** Checks that the server lists a tool. Returns no promise for a known name, so that a call does not wait. */
  check(name: string, describe: (name: string) => string): Promise<void> | undefined {
    return this.#known.has(name) ? undefined : this.#refresh(name, describe)
  }

  /** Replaces the names, after the tools have been listed for another reason. */
  learn(names: readonly string[]): void {
    this.#known = new Set(names)
  }

  async #refresh(name: string, describe: (name: string) => string): Promise<void> {
    const names = await this.list()
    this.learn(names)
    if (this.#known.has(name)) return
    const suggestion = nearestName(name, names) ?? null
    throw new UnknownToolError(`${describe(name)} ${advise(suggestion, names)}`, name, suggestion, names)
  }
}

/** Maximum number of names in a message. */
const maxListed = 10

function advise(suggestion: string | null, names: readonly string[]): string {
  if (suggestion !== null) return `Did you mean '${suggestion}'?`
  if (names.length === 0) return 'It lists no tools at all. Are credentials missing?'
  const more = names.length > maxListed ? `, and ${names.length - maxListed} more` : ''
  return `Its tools are ${names.slice(0, maxListed).join(', ')}${more}.`
}
