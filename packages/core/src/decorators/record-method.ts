import { BootError } from '../errors/boot-error.js'
import { recordFeature } from '../metadata/store.js'
import { decoratorOf, type FeatureMetadata } from '../metadata/types.js'

type Recorded<Feature> = Feature extends FeatureMetadata ? Omit<Feature, 'method' | 'isStatic'> : never

/** What every method decorator does: record, and nothing else. */
export function recordMethod(
  target: object,
  method: string | symbol | object | undefined,
  feature: Recorded<FeatureMetadata>,
): void {
  if (method === undefined) throw misplaced(decoratorOf[feature.kind], nameOf(target), 'Put it on a method')
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
  if (typeof second === 'string' || typeof second === 'symbol') throw uncalled(call, nameOf(first, second))
  if (typeof second === 'object' && second !== null && 'kind' in second) {
    throw uncalled(call, String((second as { readonly name?: string | symbol }).name))
  }
}

/**
 * The same on a class, for a decorator that takes no function.
 *
 * @param place Where it belongs, when that is no class: `' on a method'`.
 */
export function requireCallOnClass(call: string, first: unknown, place = ''): void {
  if (typeof first === 'function') throw uncalled(call, first.name, place)
}

/** @param name What it is on: `Tools` or `Tools.add`. */
export function uncalled(call: string, name: string, place = ''): BootError {
  const message = `${withoutCall(call)} on '${name}' has no parentheses. Write ${call}${place}.`
  return new BootError([{ code: 'uncalled-decorator', message }])
}

function withoutCall(call: string): string {
  return call.replace(/\(.*/, '')
}

/** @param fix `Put it on a method`. */
export function misplaced(decorator: string, name: string, fix: string): BootError {
  const message = `${decorator} is on '${name}'. ${fix}.`
  return new BootError([{ code: 'bad-decorator-target', message }])
}

/** @param target A class, or the prototype of one. */
export function nameOf(target: unknown, method?: string | symbol): string {
  const decorated = (typeof target === 'function' ? target : (target as object).constructor) as {
    readonly name: string
  }
  return method === undefined ? decorated.name : `${decorated.name}.${String(method)}`
}

/** @param decorator As it is written: `@McpTool`. */
export function standardDecorators(decorator: string, context: { readonly name?: string | symbol }): BootError {
  const message =
    `${decorator} on '${String(context.name)}' was called as a standard (TC39) decorator, which has no parameter ` +
    'types. Set "experimentalDecorators": true and "emitDecoratorMetadata": true in tsconfig.json.'
  return new BootError([{ code: 'standard-decorators', message }])
}
