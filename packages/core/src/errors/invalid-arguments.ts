/** Arguments that do not fit the input schema. Revisions differ in how the client hears of it. */
export class InvalidArguments extends Error {
  override readonly name = 'InvalidArguments'
}
