import type { ResourceOptions } from '../metadata/feature-options.js'
import type { ArgumentsOf, InputSchema } from '../model.js'
import { decoratorOrClass, isUncalled } from './decorator-diagnostics.js'
import { type Injected, type MethodDecoratorFor, recordMethod } from './record-method.js'

type Expressions<Text extends string> = Text extends `${string}{${infer Expression}}${infer Rest}`
  ? Expression | Expressions<Rest>
  : never

type Split<Names extends string> = Names extends `${infer Name},${infer Rest}` ? Name | Split<Rest> : Names

type PathNames<Expression extends string> = Expression extends `${'?' | '&'}${string}`
  ? never
  : Expression extends `${'+' | '#' | '.' | '/'}${infer Name}`
    ? Name
    : Expression

type QueryNames<Expression extends string> = Expression extends `${'?' | '&'}${infer Names}` ? Split<Names> : never

/** Type of the variables of a URI template: `{id}` is a string, `{?page}` is an optional string. */
export type TemplateVariables<Uri extends string> = {
  readonly [Name in PathNames<Expressions<Uri>>]: string
} & { readonly [Name in QueryNames<Expressions<Uri>>]?: string }

/** Type of a method that serves a resource: a template's variables first, then injected parameters. */
export type ResourceMethod<Uri extends string, Input> = (
  ...args: Uri extends `${string}{${string}}${string}`
    ? [variables: Input extends InputSchema ? ArgumentsOf<Input> : TemplateVariables<Uri>, ...injected: Injected]
    : Injected
) => unknown

const decorator = { call: "@McpResource('notes://all')", isForFeatures: true }

/**
 * Serves a method as a resource: `@McpResource('config://app')`. With a URI template, the method serves all matching resources,
 * and gets the variables: `{ id }` for `@McpResource('users://{id}/profile')`.
 *
 * The method returns a string, bytes (`Uint8Array`), contents with URIs, or data that is sent as JSON. `undefined` means that the
 * resource does not exist.
 */
export function McpResource<const Uri extends string, const Input extends InputSchema | undefined = undefined>(
  uri: Uri,
  options: ResourceOptions<Input> = {},
): MethodDecoratorFor<ResourceMethod<Uri, Input>> {
  if (isUncalled(decorator, uri, options)) return undefined as never
  return decoratorOrClass(uri, decorator, (target, method) =>
    recordMethod(target, method, { kind: 'resource', uri, options }),
  )
}
