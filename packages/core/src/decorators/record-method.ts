import type { ProgressUpdate } from '../context/progress.js'
import { describeValue } from '../errors/describe-value.js'
import { recordDiagnostic, recordFeature } from '../metadata/store.js'
import { decoratorOf, type FeatureMetadata } from '../metadata/types.js'
import { isObject } from '../options/kinds.js'
import { misplaced, nameOf, recordStandard } from './decorator-diagnostics.js'

type Recorded<Feature> = Feature extends FeatureMetadata ? Omit<Feature, 'method' | 'isStatic'> : never

export function recordMethod(
  target: object,
  method: string | symbol | object | undefined,
  feature: Recorded<FeatureMetadata>,
): void {
  const decorator = decoratorOf[feature.kind]
  if (method === undefined) recordDiagnostic(target, misplaced(decorator, nameOf(target), 'Put it on a method'))
  else if (typeof method === 'object') recordStandard(decorator, target, method)
  else recordFeature(target, { ...feature, method, isStatic: typeof target === 'function' })
}

/**
 * Merges `(name, options)` and `(options)` into one object. Returns values of other types unchanged, because boot reports them.
 */
export function withName<Options extends { readonly name?: string }>(
  nameOrOptions: string | Options,
  rest: unknown = {},
): Options {
  if (typeof nameOrOptions !== 'string') return nameOrOptions
  return (isObject(rest) ? { ...rest, name: nameOrOptions } : rest) as Options
}

/** Reports options if the argument before them is not a name, because such options would be silently ignored. */
export function checkForm(
  target: object,
  method: string | symbol | undefined,
  decorator: string,
  nameOrOptions: unknown,
  rest: unknown,
): void {
  if (rest === undefined || typeof nameOrOptions === 'string') return
  const message =
    `${nameOf(target, method)}: ${decorator} expects a name before the options, but was given ` +
    `${describeValue(nameOrOptions)}. Write ${decorator}('name', { … }) or ${decorator}({ … }).`
  recordDiagnostic(target, { code: 'bad-option', message })
}

/**
 * Injected parameters, which follow the arguments. The type of a method decorator cannot check these parameters, so boot checks
 * them.
 */
// oxlint-disable-next-line typescript/no-explicit-any
export type Injected = any[]

/** A method decorator that the compiler accepts only on methods that are assignable to `Shape`. */
// The parameter `Method` is needed: `TypedPropertyDescriptor<Shape>` is invariant, so it would accept only methods of type
// `Shape`.
export type MethodDecoratorFor<Shape extends (...args: never[]) => unknown> = <Method extends Shape>(
  prototype: object,
  method: string | symbol,
  descriptor: TypedPropertyDescriptor<Method> & YieldsProgress<Method>,
) => void

type YieldsProgress<Method> = [Method] extends [(...args: never[]) => infer Returned]
  ? 0 extends 1 & Returned
    ? unknown
    : [Returned] extends [never]
      ? unknown
      : [Returned] extends [Generator<infer Yielded, unknown, never> | AsyncGenerator<infer Yielded, unknown, never>]
        ? [Yielded] extends [ProgressUpdate]
          ? unknown
          : { readonly 'yields something that is not progress': never }
        : unknown
  : unknown
