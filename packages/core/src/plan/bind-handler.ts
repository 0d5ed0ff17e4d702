import type { Logger } from 'pino'
import type { FunctionSource, MethodSource, ParameterSource, Runnable } from '../catalog/definitions.js'
import type { DependencyGraph } from '../catalog/injection/dependency-graph.js'
import type { AppContainer, CallScope } from '../container/app-container.js'
import type { InjectionToken } from '../container/tsyringe.js'
import { McpContext } from '../context/mcp-context.js'
import { logFailure } from '../errors/log-failure.js'
import type { RateLimiter } from '../limits/rate-limiter.js'
import type { Tally } from '../limits/tally.js'
import type { HookBinder } from './bind-hooks.js'
import { drain, isDrained } from './drain-returned.js'
import { makeAtBoot } from './make-at-boot.js'

/** Runs a feature's method or function: arguments in, whatever it returns out. */
export type Handler = (args: unknown, context: McpContext) => unknown

/** What handlers are bound with. */
export interface Bindings {
  readonly container: AppContainer
  readonly graph: DependencyGraph
  readonly hooks: HookBinder
  /** Counts calls for tools with a rate limit. */
  readonly rateLimiter: RateLimiter
  /** For what their limits refuse. */
  readonly limitedRequests: Tally
  readonly log: Logger
}

/**
 * Decides what can be decided once: singletons and long-lived controllers are made here, not in a call.
 *
 * @param what For the log: `Tool 'count'`.
 */
export function bindHandler({ source, model }: Runnable, bindings: Bindings, what: string): Handler {
  const handler = source.kind === 'function' ? bindFunction(source, what) : bindMethod(source, bindings, what)
  if (model === null) return handler
  return (args, context) => handler(new model(args), context)
}

function bindFunction({ handler }: FunctionSource, what: string): Handler {
  return (args, context) => finish(handler(args, context), context, what)
}

/** A promise of something to drain is looked at when it has settled, by those who wait for it. */
function finish(returned: unknown, context: McpContext, what: string): unknown {
  return isDrained(returned) ? drain(returned, context, what) : returned
}

type Method = (...values: unknown[]) => unknown

function bindMethod({ controller, method, parameters }: MethodSource, bindings: Bindings, what: string): Handler {
  const token = controller as InjectionToken
  const sources = parameters.map((parameter) => bindParameter(parameter, bindings))
  const isLongLived = bindings.graph.lifetimeOf(token, controller.name) !== 'call'
  if (isLongLived && sources.every((source) => !source.needsScope)) {
    const instance = makeAtBoot(token, bindings) as Record<string | symbol, Method>
    return (args, context) => {
      const values = sources.map((source) => source.read(args, context, null as never))
      return finish((instance[method] as Method)(...values), context, what)
    }
  }
  const controllerSource = isLongLived ? constant(makeAtBoot(token, bindings)) : fromScope(token)
  return (args, context) =>
    runInScope(bindings.container, context, what, (scope) => {
      const instance = controllerSource.read(args, context, scope) as Record<string | symbol, Method>
      const values = sources.map((source) => source.read(args, context, scope))
      return (instance[method] as Method)(...values)
    })
}

interface BoundParameter {
  readonly needsScope: boolean
  read(args: unknown, context: McpContext, scope: CallScope): unknown
}

const fromArguments: BoundParameter = { needsScope: false, read: (args) => args }
const fromContext: BoundParameter = { needsScope: false, read: (_args, context) => context }

function constant(value: unknown): BoundParameter {
  return { needsScope: false, read: () => value }
}

function fromScope(token: InjectionToken): BoundParameter {
  return { needsScope: true, read: (_args, _context, scope) => scope.resolve(token) }
}

function bindParameter(parameter: ParameterSource, { container, graph }: Bindings): BoundParameter {
  if (parameter.from === 'arguments') return fromArguments
  if (parameter.from === 'context') return fromContext
  if (parameter.isOptional && graph.isLeftOut(parameter.token)) return constant(undefined)
  const isSingleton = graph.lifetimeOf(parameter.token, '') === 'singleton'
  return isSingleton ? constant(container.resolveSingleton(parameter.token)) : fromScope(parameter.token)
}

/** The scope lives until the handler's promise settles and its stream has ended, also after the call was answered. */
async function runInScope(
  container: AppContainer,
  context: McpContext,
  what: string,
  run: (scope: CallScope) => unknown,
): Promise<unknown> {
  const scope = container.openScope()
  scope.provide(McpContext, context)
  try {
    const returned = await run(scope)
    return isDrained(returned) ? await drain(returned, context, what) : returned
  } finally {
    await disposeScope(scope, context)
  }
}

async function disposeScope(scope: CallScope, context: McpContext): Promise<void> {
  try {
    await scope.dispose()
  } catch (error) {
    // The answer stands: what failed came after it.
    logFailure(context.log, error, {}, 'disposing what a call had injected failed')
  }
}
