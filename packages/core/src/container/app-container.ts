import {
  ConstructorFailure,
  type Disposed,
  resolveTraced,
  resolveTracedOnce,
  traceFailures,
} from './constructor-failure.js'
import type { Registration } from './registration.js'
import { type DependencyContainer, globalContainer, type InjectionToken } from './tsyringe.js'
import { copyOf, loadedTsyringes, type TsyringeCopy, withParents } from './tsyringe-copies.js'

interface Internals {
  getRegistration(token: InjectionToken): Registration | null
  getAllRegistrations(token: InjectionToken): readonly Registration[] | null
  readonly disposables: Set<Disposed>
}

/**
 * One server's view of a tsyringe container.
 *
 * Three levels of containers create instances:
 *
 * - The application's container or one of its parents creates singletons.
 * - The server's container, a child of the application's container, creates the singletons that depend on instances of this
 *   server.
 * - A child of the server's container creates all other instances, and is the parent of each call's scope. This child has only
 *   scoped registrations, because each registration of a parent slows down the creation of a scope.
 *
 * The server disposes the last two containers when it closes.
 */
export class AppContainer {
  readonly #root: DependencyContainer
  readonly #server: DependencyContainer
  readonly #app: DependencyContainer
  readonly #controllers = new Map<InjectionToken, unknown>()
  readonly #ofServer: Set<InjectionToken>
  readonly #levels: readonly DependencyContainer[]
  readonly copy: TsyringeCopy
  #otherCopies: readonly TsyringeCopy[] | null = null

  constructor(root: DependencyContainer = globalContainer, own: ReadonlyMap<InjectionToken, unknown> = new Map()) {
    this.#root = root
    this.copy = copyOf(root)
    this.#ofServer = new Set(own.keys())
    this.#server = traceFailures(root.createChildContainer(), true)
    this.#levels = withParents(this.#server)
    for (const [token, value] of own) this.#server.registerInstance(token, value)
    this.#app = traceFailures(this.#server.createChildContainer(), true)
  }

  registrationOf(token: InjectionToken): Registration | null {
    return internals(this.#app).getRegistration(token)
  }

  registrationsOf(token: InjectionToken): readonly Registration[] {
    return internals(this.#app).getAllRegistrations(token) ?? []
  }

  /**
   * Makes tsyringe create one instance of a container-scoped class per call. A child container copies the container-scoped
   * registrations that its direct parent has when the child is created. Without a copied registration, all calls would share one
   * instance.
   */
  scopeToCalls(token: InjectionToken, { provider, options }: Registration): void {
    if (!this.#app.isRegistered(token)) this.#app.register(token, provider as never, options)
  }

  levelOf(token: InjectionToken): number {
    const level = this.#levels.findLastIndex((container) => container.isRegistered(token))
    return Math.max(level, 0)
  }

  /**
   * Makes tsyringe create a singleton one time in each container of a level. If a parent container created the instance, all
   * its children would share the dependencies of the first child that resolves the singleton.
   */
  keepAt(token: InjectionToken, level: number): void {
    this.resolveAt(token, level)
    if (this.levelOf(token) >= level) return
    const container = this.#levels[level] as DependencyContainer
    // Copy all registrations, or `@injectAll` would find only one registration.
    for (const { provider, options } of internals(container).getAllRegistrations(token) ?? []) {
      container.register(token, provider as never, options)
    }
  }

  /** If `level` is the level of the server, records that only the server's container can resolve the token. */
  resolveAt(token: InjectionToken, level: number): void {
    if (this.#levels[level] === this.#server) this.#ofServer.add(token)
  }

  /**
   * Registers the parameter types of a class with tsyringe. By itself, tsyringe reads neither inherited types nor the tokens of
   * `@Inject` on a class without a decorator.
   */
  makeInjectable(target: new () => object): void {
    this.copy.injectable()(target)
  }

  otherCopyThatRegistered(token: InjectionToken): TsyringeCopy | undefined {
    this.#otherCopies ??= loadedTsyringes().filter(({ container }) => container !== this.copy.container)
    return this.#otherCopies.find(({ container }) => container.isRegistered(token))
  }

  /**
   * Returns the instance of a singleton. Call it at boot: otherwise tsyringe creates the instance in the scope of the first
   * call.
   *
   * @throws ConstructorFailure
   */
  resolveSingleton(token: InjectionToken): unknown {
    return this.#ofServer.has(token) ? resolveTraced(this.#server, token) : resolveTracedOnce(this.#root, token)
  }

  /**
   * Returns the instance of a controller that lives as long as the server. All features of the controller share the instance.
   *
   * @throws ConstructorFailure
   */
  controller(token: InjectionToken): unknown {
    const known = this.#controllers.get(token)
    if (known !== undefined) return known
    const controller = resolveTraced(this.#app, token)
    this.#controllers.set(token, controller)
    return controller
  }

  openScope(): CallScope {
    return new CallScope(traceFailures(this.#app.createChildContainer(), true))
  }

  async close(): Promise<void> {
    await disposeAll(this.#server, this.#app)
  }
}

export class CallScope {
  constructor(private readonly container: DependencyContainer) {}

  provide(token: InjectionToken, value: unknown): void {
    this.container.registerInstance(token, value)
  }

  /** @throws The error of a constructor, unchanged: its stack shows the failing line, and a `ToolError` stays a `ToolError`. */
  resolve(token: InjectionToken): unknown {
    try {
      return resolveTraced(this.container, token)
    } catch (error) {
      throw error instanceof ConstructorFailure ? error.thrown : error
    }
  }

  /**
   * Returns `undefined` when there is nothing to dispose. The method `dispose` of tsyringe would take 2 microseconds even then.
   */
  dispose(): Promise<void> | undefined {
    return internals(this.container).disposables.size > 0 ? disposeAll(this.container) : undefined
  }
}

/**
 * Disposes instances in reverse order of creation, because later instances can use earlier instances. The method `dispose` of
 * tsyringe stops at the first error.
 */
async function disposeAll(...containers: readonly DependencyContainer[]): Promise<void> {
  const instances = containers.flatMap((container) => [...internals(container).disposables]).toReversed()
  for (const container of containers) {
    internals(container).disposables.clear()
    // Closes the container to new instances. The container has no disposables left, so there is nothing to await.
    void container.dispose()
  }
  const outcomes = await Promise.allSettled(instances.map(async (instance) => dispose(instance)))
  const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
  if (reasons.length > 1) throw new AggregateError(reasons, 'several instances could not be disposed')
  if (reasons.length === 1) throw reasons[0]
}

/** Calls only one dispose method: if a class has several such methods, each method is expected to dispose everything. */
function dispose(instance: Disposed): unknown {
  if (instance.dispose !== undefined) return instance.dispose()
  if (instance[Symbol.asyncDispose] !== undefined) return instance[Symbol.asyncDispose]?.()
  return instance[Symbol.dispose]?.()
}

function internals(container: DependencyContainer): Internals {
  return container as unknown as Internals
}
