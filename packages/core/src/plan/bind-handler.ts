import type { Logger } from 'pino'
import type { Call, CallPlan } from '../call/call.js'
import type { FunctionSource, MethodSource, ParameterSource, Runnable } from '../catalog/definitions.js'
import type { DependencyGraph } from '../catalog/injection/dependency-graph.js'
import type { AppContainer, CallScope } from '../container/app-container.js'
import type { InjectionToken } from '../container/tsyringe.js'
import { McpContext } from '../context/mcp-context.js'
import { logFailure } from '../errors/log-failure.js'
import type { Counter } from '../limits/counter.js'
import type { RateLimiter } from '../limits/rate-limiter.js'
import { isPromiseLike } from '../timing/with-timeout.js'
import type { HookBinder } from './bind-hooks.js'
import { type DrainLimit, drain, isDrained } from './drain-returned.js'
import { makeAtBoot } from './make-at-boot.js'

type Handler = CallPlan['handle']

export interface Bindings {
  readonly container: AppContainer
  readonly graph: DependencyGraph
  readonly hooks: HookBinder
  readonly rateLimiter: RateLimiter
  readonly limitedRequests: Counter
  /** Maximum size of one result in bytes, for features without a separate limit. */
  readonly maxResultBytes: number
  readonly oversizedResults: Counter
  readonly hidesForbidden: boolean
  readonly log: Logger
}

export function bindHandler({ source, model }: Runnable, bindings: Bindings, limit: DrainLimit): Handler {
  return source.kind === 'function' ? bindFunction(source, model, limit) : bindMethod(source, model, bindings, limit)
}

function bindFunction({ handler }: FunctionSource, model: Runnable['model'], limit: DrainLimit): Handler {
  return ({ args, context, uri }) => {
    const given = model === null ? args : new model(args)
    // Only handlers of resources have a third parameter.
    return finish(handler(given, context, ...((uri === null ? [] : [uri]) as [uri: string])), context, limit)
  }
}

/**
 * Reads a returned stream to its end, even if the handler returned a promise of the stream. The time limit, permit and hooks of
 * the handler apply until the end of the stream. Promises are checked first, because the queries of some libraries are both
 * promises and streams.
 */
function finish(returned: unknown, context: McpContext, limit: DrainLimit): unknown {
  if (typeof returned !== 'object' || returned === null) return returned
  if (!isPromiseLike(returned)) return drain(returned, context, limit)
  return Promise.resolve(returned).then((value) => drain(value, context, limit))
}

type Method = (...values: unknown[]) => unknown

function bindMethod(
  { controller, method, parameters }: MethodSource,
  model: Runnable['model'],
  bindings: Bindings,
  limit: DrainLimit,
): Handler {
  const token = controller as InjectionToken
  const sources = parameters.map((parameter) => bindParameter(parameter, model, bindings))
  const isLongLived = bindings.graph.lifetimeOf(token, controller.name) !== 'call'
  const unscoped = sources.filter((source) => !source.needsScope)
  if (isLongLived && unscoped.length === sources.length) {
    const instance = makeAtBoot(token, bindings) as Record<string | symbol, Method>
    return (call) => {
      const values: unknown[] = []
      for (const source of unscoped) values.push(source.read(call))
      return finish((instance[method] as Method)(...values), call.context, limit)
    }
  }
  const controllerSource = isLongLived ? constant(makeAtBoot(token, bindings)) : fromScope(token)
  return (call) =>
    runInScope(bindings.container, call.context, limit, (scope) => {
      const instance = controllerSource.read(call, scope) as Record<string | symbol, Method>
      const values = sources.map((source) => source.read(call, scope))
      return (instance[method] as Method)(...values)
    })
}

interface UnscopedParameter {
  readonly needsScope: false
  read(call: Call): unknown
}

interface ScopedParameter {
  readonly needsScope: true
  read(call: Call, scope: CallScope): unknown
}

type BoundParameter = UnscopedParameter | ScopedParameter

const fromArguments: UnscopedParameter = { needsScope: false, read: ({ args }) => args }
const fromContext: UnscopedParameter = { needsScope: false, read: ({ context }) => context }

function asModel(model: NonNullable<Runnable['model']>): UnscopedParameter {
  return { needsScope: false, read: ({ args }) => new model(args) }
}

function constant(value: unknown): UnscopedParameter {
  return { needsScope: false, read: () => value }
}

function fromScope(token: InjectionToken): ScopedParameter {
  return { needsScope: true, read: (_call, scope) => scope.resolve(token) }
}

function bindParameter(
  parameter: ParameterSource,
  model: Runnable['model'],
  { container, graph }: Bindings,
): BoundParameter {
  if (parameter.from === 'arguments') return model === null ? fromArguments : asModel(model)
  if (parameter.from === 'context') return fromContext
  if (parameter.isOptional && graph.isLeftOut(parameter.token)) return constant(undefined)
  const isSingleton = graph.lifetimeOf(parameter.token, '') === 'singleton'
  return isSingleton ? constant(container.resolveSingleton(parameter.token)) : fromScope(parameter.token)
}

/**
 * Runs a handler in a scope. The scope lives until the handler's promise has settled and its stream has ended, even if
 * the call was already answered.
 */
async function runInScope(
  container: AppContainer,
  context: McpContext,
  limit: DrainLimit,
  run: (scope: CallScope) => unknown,
): Promise<unknown> {
  const scope = container.openScope()
  scope.provide(McpContext, context)
  try {
    const returned = await run(scope)
    return isDrained(returned) ? await drain(returned, context, limit) : returned
  } finally {
    await disposeScope(scope, context)
  }
}

async function disposeScope(scope: CallScope, context: McpContext): Promise<void> {
  try {
    await scope.dispose()
  } catch (error) {
    // The error is only logged, because the handler's result is still valid.
    logFailure(context.log, error, {}, 'a dependency of a call could not be disposed')
  }
}
