import type { CompiledSchema, JsonObject } from '@toolwright/schema'

/** Reads string arguments of a prompt or template: converts them to the types of the schema, and fills in defaults. */
export function fromTexts({ convert, applyDefaults }: CompiledSchema, texts: JsonObject): unknown {
  const converted = convert === null ? texts : convert(texts)
  return applyDefaults === null ? converted : applyDefaults(converted)
}
