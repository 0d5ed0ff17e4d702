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

/** @param decorator As it is written: `@McpTool`. */
export function standardDecorators(decorator: string, context: { readonly name?: string | symbol }): BootError {
  const message =
    `${decorator} on '${String(context.name)}' was called as a standard (TC39) decorator, which has no parameter ` +
    'types. Set "experimentalDecorators": true and "emitDecoratorMetadata": true in tsconfig.json.'
  return new BootError([{ code: 'standard-decorators', message }])
}
