import { BootError } from '../errors/boot-error.js'
import { recordFeature } from '../metadata/store.js'
import { decoratorOf, type FeatureMetadata } from '../metadata/types.js'

type Recorded<Feature> = Feature extends FeatureMetadata ? Omit<Feature, 'method' | 'isStatic'> : never

/** What every method decorator does: record, and nothing else. */
export function recordMethod(
  target: object,
  method: string | symbol | object,
  feature: Recorded<FeatureMetadata>,
): void {
  // As a standard decorator it is called with a context object instead of the method's name.
  if (typeof method === 'object') throw standardDecorators(decoratorOf[feature.kind], method)
  recordFeature(target, { ...feature, method, isStatic: typeof target === 'function' })
}

/**
 * Refuses `@McpTool` without parentheses, which the compiler sees and a runner that strips types does not: the decorator
 * would be called with the class and the method instead of its options, and nothing would be served.
 */
export function requireCall(decorator: string, first: unknown, second: unknown): void {
  const isMethod = typeof first === 'object' && (typeof second === 'string' || typeof second === 'symbol')
  // A class; or the method itself, in a standard decorator.
  if (typeof first !== 'function' && !isMethod) return
  const name = isMethod ? String(second) : (first as { readonly name: string }).name
  const message = `${decorator} on '${name}' has no parentheses. Write ${decorator}().`
  throw new BootError([{ code: 'uncalled-decorator', message }])
}

/** @param decorator As it is written: `@McpTool`. */
export function standardDecorators(decorator: string, context: { readonly name?: string | symbol }): BootError {
  const message =
    `${decorator} on '${String(context.name)}' was called as a standard (TC39) decorator, which has no parameter ` +
    'types. Set "experimentalDecorators": true and "emitDecoratorMetadata": true in tsconfig.json.'
  return new BootError([{ code: 'standard-decorators', message }])
}
