import type { Version } from './client.js'

/** What the official schema of a revision finds wrong with a value; empty when it is valid. */
export const { officialFaults: errorsOf } = globalThis as unknown as {
  officialFaults: (version: Version, definition: string, value: unknown) => readonly string[]
}
