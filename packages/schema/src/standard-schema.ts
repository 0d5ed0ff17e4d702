/**
 * A schema of another library that implements Standard Schema, such as Zod, Valibot and ArkType: https://standardschema.dev.
 * `compileStandard` also requires the JSON Schema part of the standard.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    // Declared as a method, because only parameters of methods are bivariant.
    validate(value: unknown): StandardOutcome<Output> | Promise<StandardOutcome<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

/** Result of `validate`. Some libraries return a value beside the issues. */
export type StandardOutcome<Output = unknown> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

export interface StandardConverter {
  input(options: StandardConverterOptions): Record<string, unknown>
  output(options: StandardConverterOptions): Record<string, unknown>
}

interface StandardConverterOptions {
  readonly target: string
  readonly libraryOptions?: Readonly<Record<string, unknown>>
}

/** Whether the value implements Standard Schema. Schemas of some libraries are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  const { '~standard': standard } = value as { readonly '~standard'?: Partial<StandardSchema['~standard']> | null }
  return typeof standard === 'object' && standard !== null && typeof standard.validate === 'function'
}
