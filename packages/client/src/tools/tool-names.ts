import { nearestName } from '@toolwright/core/wire'
import {
  ClientError,
  ConnectionError,
  CredentialsError,
  type Failed,
  RequestTimeoutError,
  UnknownToolError,
} from '../errors.js'
import { within } from '../timing.js'

/** Names of the listed tools. For an unknown name, the tools are listed again. */
export class ToolNames {
  #known: ReadonlySet<string> = new Set()
  #listing: Promise<readonly string[]> | null = null
  /** Whether the list cannot be read, such as a list with an invalid entry. Names are not checked then. */
  #isUnreadable = false

  constructor(private readonly list: () => Promise<readonly string[]>) {}

  /** Whether a tool can be called without listing the tools first. */
  isCallable(name: string): boolean {
    return this.#known.has(name) || this.#isUnreadable
  }

  learn(names: readonly string[]): void {
    this.#known = new Set(names)
    this.#isUnreadable = false
  }

  /**
   * Lists the tools, and checks that a tool is among them.
   *
   * @param limits Timeout and signal of the call, which also limit the wait for the list.
   */
  async find(name: string, describe: (name: string) => string, limits: Failed): Promise<void> {
    limits.signal?.throwIfAborted()
    this.#listing ??= this.list().finally(() => {
      this.#listing = null
    })
    const names = await within(this.#listing, limits).catch((error: unknown) => this.#giveUp(error))
    if (names === null || names.includes(name)) return
    const suggestion = nearestName(name, names) ?? null
    throw new UnknownToolError(`${describe(name)} ${advise(suggestion, names)}`, name, suggestion, names)
  }

  /** Allows calls if the server has answered, but its list cannot be read. @throws Every other error. */
  #giveUp(error: unknown): null {
    if (!(error instanceof ClientError) || isUnreachable(error)) throw error
    this.#isUnreadable = true
    return null
  }
}

function isUnreachable(error: ClientError): boolean {
  return [ConnectionError, CredentialsError, RequestTimeoutError].some((kind) => error instanceof kind)
}

const maxListed = 10

function advise(suggestion: string | null, names: readonly string[]): string {
  if (suggestion !== null) return `Did you mean '${suggestion}'?`
  if (names.length === 0) return 'It lists no tools at all. Are credentials missing?'
  const more = names.length > maxListed ? `, and ${names.length - maxListed} more` : ''
  return `Its tools are ${names.slice(0, maxListed).join(', ')}${more}.`
}
