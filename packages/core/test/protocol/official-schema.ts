import type { Version } from './client.js'

/** Errors of a value by the official schema of a revision; empty when it is valid. */
export const { officialFaults: errorsOf } = globalThis as unknown as {
  officialFaults: (version: Version, definition: string, value: unknown) => readonly string[]
}
