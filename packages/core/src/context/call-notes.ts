import { clientRequesterOf, type McpContext } from './mcp-context.js'

const maxNotes = 16

/** Characters of a name and its text together. */
const maxLength = 1024

/**
 * Short texts that hooks keep from one round of a call to the next. From 2026-07-28 on they travel over the client,
 * sealed: it can neither read nor change them.
 */
export class CallNotes {
  readonly #texts: Map<string, string>

  constructor(texts: Readonly<Record<string, string>> = {}) {
    this.#texts = new Map(Object.entries(texts))
  }

  /** `undefined` for a note that no hook has made. */
  get(name: string): string | undefined {
    return this.#texts.get(name)
  }

  /** @throws RangeError for a text of more than 1,024 characters, its name included, and for a 17th note. */
  set(name: string, text: string): void {
    if (name.length + text.length > maxLength) throw new RangeError(`a note has at most ${maxLength} characters`)
    if (this.#texts.size >= maxNotes && !this.#texts.has(name)) {
      throw new RangeError(`a call has at most ${maxNotes} notes`)
    }
    this.#texts.set(name, text)
  }

  /** All of them; `null` when there are none. */
  toRecord(): Readonly<Record<string, string>> | null {
    return this.#texts.size === 0 ? null : Object.fromEntries(this.#texts)
  }
}

/** Beside the contexts: most have none, and are made faster without. */
const notes = new WeakMap<McpContext, CallNotes>()

/** What hooks keep from round to round of a call. */
export function notesOf(context: McpContext): CallNotes {
  const known = notes.get(context)
  if (known !== undefined) return known
  const opened = new CallNotes(clientRequesterOf(context)?.notes)
  notes.set(context, opened)
  return opened
}

/** `null` when no hook has kept or looked for any. */
export function usedNotesOf(context: McpContext): CallNotes | null {
  return notes.get(context) ?? null
}

/** Has two contexts of one call keep the same. */
export function shareNotes(context: McpContext, other: McpContext): void {
  notes.set(other, notesOf(context))
}
