/** Why a schema cannot be used. The text completes "The input schema of tool 'x' …". */
export class SchemaError extends Error {
  override readonly name = 'SchemaProblem'
}
