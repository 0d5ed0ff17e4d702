/** Names of the nested members that contain a value: `['mcpServers', 'words']`. */
export type Path = readonly string[]

export interface DocumentFormat {
  /** @throws InvalidDocument */
  readonly parse: (text: string) => Readonly<Record<string, unknown>>
  /** Adds a value, or replaces it. Missing objects of the path are created. */
  readonly set: (text: string, path: Path, value: unknown) => string
  readonly remove: (text: string, path: Path) => string
  /**
   * Hides the values of a text, for output: all values outside of the entry at `path`, and all values of the entry's
   * secret fields. Keeps the number of lines.
   */
  readonly hide: (text: string, path: Path) => string
}

/** Error in a file that cannot be parsed. Positions begin at 1. */
export class InvalidDocument extends Error {
  override readonly name = 'InvalidDocument'

  constructor(
    message: string,
    readonly line: number,
    readonly column: number,
  ) {
    super(message)
  }
}

export const hiddenValue = '"…"'

export function isShown(path: Path, entry: Path, secretFields: readonly string[]): boolean {
  const isOfEntry = entry.every((key, index) => path[index] === key)
  return isOfEntry && !secretFields.includes(path[entry.length] ?? '')
}

/**
 * Copies a value, with plain objects. Both libraries return objects without a prototype, which never equal a literal in
 * a comparison.
 */
export function toPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlain)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toPlain(member)]))
}

/** Returns the value at a path; `undefined` without a value. Ignores members of the prototype, such as `constructor`. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
        ? (inner as Readonly<Record<string, unknown>>)[key]
        : undefined,
    value,
  )
}

const secretWord = '[\\w-]*(?:key|token|secret|pass|auth|credential|header)[\\w-]*'
const secretFlag = new RegExp(`^(?:-[pHk]|--?${secretWord})$`, 'i')
const secretValue = new RegExp(`(${secretWord}=)[^\\s&"',]+`, 'gi')
const secretPair = new RegExp(`((["'])(?:-[pHk]|--?${secretWord})\\2\\s*,\\s*)(?:"(?:[^"\\\\]|\\\\.)*"|'[^']*')`, 'gi')

/** Whether the argument after `--api-key` or `-p` may be a secret. */
export function isSecretFlag(argument: unknown): boolean {
  return typeof argument === 'string' && secretFlag.test(argument)
}

/** Hides values in arguments and URLs that may be secrets: `--api-key=x`, `"--api-key", "x"`, `?token=x`. */
export function hideInText(text: string): string {
  return text
    .replace(secretPair, `$1${hiddenValue}`)
    .replace(secretValue, '$1…')
    .replace(/(:\/\/)[^/\s@"']+@/g, '$1…@')
}
