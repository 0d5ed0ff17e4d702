/** An unusable schema. The message completes the sentence "The input schema of tool 'x' …". */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
}
