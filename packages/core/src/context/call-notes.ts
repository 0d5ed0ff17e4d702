import { clientRequesterOf, type McpContext } from './mcp-context.js'

const maxNotes = 16

const maxLength = 1024

/**
 * Short strings that hooks store in one round of a call, and can read in later rounds. From 2026-07-28 on, the client stores the
 * encrypted notes, and can neither read nor change them.
 */
export class CallNotes {
  readonly #texts: Map<string, string>

  constructor(texts: Readonly<Record<string, string>> = {}) {
    this.#texts = new Map(Object.entries(texts))
  }

  /** Returns a note; `undefined` if no hook has set the note. */
  get(name: string): string | undefined {
    return this.#texts.get(name)
  }

  /**
   * Stores a note.
   *
   * @throws RangeError if name and text together exceed 1,024 characters, or if the call already has 16 notes.
   */
  set(name: string, text: string): void {
    if (name.length + text.length > maxLength)
      throw new RangeError(`a note and its name together must have at most ${maxLength} characters`)
    if (this.#texts.size >= maxNotes && !this.#texts.has(name)) {
      throw new RangeError(`a call must have at most ${maxNotes} notes`)
    }
    this.#texts.set(name, text)
  }

  toRecord(): Readonly<Record<string, string>> | null {
    return this.#texts.size === 0 ? null : Object.fromEntries(this.#texts)
  }
}

/** Notes are stored outside of contexts: most calls have no notes, and a context without such a field is created faster. */
const notes = new WeakMap<McpContext, CallNotes>()

export function notesOf(context: McpContext): CallNotes {
  const known = notes.get(context)
  if (known !== undefined) return known
  const created = new CallNotes(clientRequesterOf(context)?.notes)
  notes.set(context, created)
  return created
}

export function usedNotesOf(context: McpContext): CallNotes | null {
  return notes.get(context) ?? null
}

export function shareNotes(context: McpContext, other: McpContext): void {
  notes.set(other, notesOf(context))
}
