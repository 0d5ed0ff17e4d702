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
 * would be called with what it decorates instead of its options, and nothing would be served.
 *
 * @param call How it is written: `@McpTool()`.
 * @param second The method's name, or the context of a standard decorator, when it was not called.
 */
export function requireCall(call: string, first: unknown, second: unknown): void {
  if (typeof first === 'string') return
  if (typeof second === 'string' || typeof second === 'symbol') throw uncalled(call, second)
  if (typeof second === 'object' && second !== null && 'kind' in second) {
    throw uncalled(call, (second as { readonly name?: string | symbol }).name)
  }
}

/** The same for a decorator of classes that takes no function. */
export function requireCallOnClass(call: string, first: unknown): void {
  if (typeof first === 'function') throw uncalled(call, first.name)
}

function uncalled(call: string, name: string | symbol | undefined): BootError {
  const message = `${call.replace(/\(.*/, '')} on '${String(name)}' has no parentheses. Write ${call}.`
  return new BootError([{ code: 'uncalled-decorator', message }])
}

/** @param decorator As it is written: `@McpTool`. */
export function standardDecorators(decorator: string, context: { readonly name?: string | symbol }): BootError {
  const message =
    `${decorator} on '${String(context.name)}' was called as a standard (TC39) decorator, which has no parameter ` +
    'types. Set "experimentalDecorators": true and "emitDecoratorMetadata": true in tsconfig.json.'
  return new BootError([{ code: 'standard-decorators', message }])
}
