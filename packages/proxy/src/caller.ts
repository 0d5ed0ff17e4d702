import type { JsonObject } from '@toolwright/core'

/** Capabilities of a client that answers questions of a server. */
const answering = ['elicitation', 'sampling', 'roots'] as const

export function pickAnswering(capabilities: JsonObject): JsonObject {
  const declared = answering.filter((name) => typeof capabilities[name] === 'object' && capabilities[name] !== null)
  return Object.fromEntries(declared.map((name) => [name, capabilities[name]]))
}

export function canAnswer(capabilities: JsonObject): boolean {
  return answering.some((name) => typeof capabilities[name] === 'object' && capabilities[name] !== null)
}
