import {
  ConstructorFailure,
  type Disposed,
  resolveTraced,
  resolveTracedOnce,
  traceFailures,
} from './constructor-failure.js'
import type { Registration } from './registration.js'
import { type DependencyContainer, globalContainer, type InjectionToken } from './tsyringe.js'
import { copyOf, loadedTsyringes, type TsyringeCopy } from './tsyringe-copies.js'

interface Internals {
  readonly parent?: DependencyContainer
  getRegistration(token: InjectionToken): Registration | null
  getAllRegistrations(token: InjectionToken): readonly Registration[] | null
  readonly disposables: Set<Disposed>
}

/**
 * One server's view of a tsyringe container.
 *
 * Singletons come from the container that the application knows, or from a parent of it, but for those that are made with
 * something of this server: they come from a child of it, which no other server shares. Everything else comes from a child of
 * that one, which
 * holds scoped registrations only: each call's scope is a child in turn, and making one costs time for every registration
 * of its parent. The server disposes both when it closes.
 */
export class AppContainer {
  readonly #root: DependencyContainer
  readonly #server: DependencyContainer
  readonly #app: DependencyContainer
  readonly #controllers = new Map<InjectionToken, unknown>()
  readonly #ofServer: Set<InjectionToken>
  /** From the container without a parent to that of the server. */
  readonly #levels: readonly DependencyContainer[]
  /** The copy of tsyringe that makes what is injected. */
  readonly copy: TsyringeCopy
  #otherCopies: readonly TsyringeCopy[] | null = null

  /** @param own What can be injected that each server has one of, by its class. */
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

  /** What `@injectAll` finds. */
  registrationsOf(token: InjectionToken): readonly Registration[] {
    return internals(this.#app).getAllRegistrations(token) ?? []
  }

  /**
   * Makes a container-scoped class scoped to calls. tsyringe copies such registrations when a child is made, so a class
   * registered later, or in another container of the chain, would be shared by all calls.
   */
  scopeToCalls(token: InjectionToken, { provider, options }: Registration): void {
    if (!this.#app.isRegistered(token)) this.#app.register(token, provider as never, options)
  }

  /** How deep a token is registered: 0 in the container without a parent, or nowhere; most for what is the server's. */
  levelOf(token: InjectionToken): number {
    return Math.max(
      0,
      this.#levels.findLastIndex((container) => container.isRegistered(token)),
    )
  }

  /** Makes a singleton one for each container of a level: the instance of a container above keeps what was there first. */
  keepAt(token: InjectionToken, level: number): void {
    this.resolveAt(token, level)
    if (this.levelOf(token) >= level) return
    const container = this.#levels[level] as DependencyContainer
    // All of them, or `@injectAll` would find one.
    for (const { provider, options } of internals(container).getAllRegistrations(token) ?? []) {
      container.register(token, provider as never, options)
    }
  }

  /** Notes what a token is made with: with something of the server, it can only be made there. */
  resolveAt(token: InjectionToken, level: number): void {
    if (this.#levels[level] === this.#server) this.#ofServer.add(token)
  }

  /**
   * Lets tsyringe make a class whose parameter types are known. It knows those of decorated classes alone: not those
   * that a class inherits, and not the tokens that `@Inject` gives on a class without a decorator.
   */
  makeInjectable(target: new () => object): void {
    this.copy.injectable()(target)
  }

  /** The copy of tsyringe that has a registration which this container lacks. */
  otherCopyThatRegistered(token: InjectionToken): TsyringeCopy | undefined {
    this.#otherCopies ??= loadedTsyringes().filter(({ container }) => container !== this.copy.container)
    return this.#otherCopies.find(({ container }) => container.isRegistered(token))
  }

  /**
   * The one instance of a singleton. Made here, or tsyringe would make it inside the first call's scope.
   *
   * @throws ConstructorFailure
   */
  resolveSingleton(token: InjectionToken): unknown {
    return this.#ofServer.has(token) ? resolveTraced(this.#server, token) : resolveTracedOnce(this.#root, token)
  }

  /**
   * A controller's instance that lives as long as the server: one, however many of its methods are features.
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

/** What one call has injected: made on demand, disposed when the call's promise settles. */
export class CallScope {
  constructor(private readonly container: DependencyContainer) {}

  provide(token: InjectionToken, value: unknown): void {
    this.container.registerInstance(token, value)
  }

  /** @throws what a constructor threw, as it is: its stack leads to the line, and a `ToolError` says what it says. */
  resolve(token: InjectionToken): unknown {
    try {
      return resolveTraced(this.container, token)
    } catch (error) {
      throw error instanceof ConstructorFailure ? error.thrown : error
    }
  }

  /** `undefined` when nothing disposable was made: tsyringe's own call would take 2 microseconds to find that out. */
  dispose(): Promise<void> | undefined {
    return internals(this.container).disposables.size > 0 ? disposeAll(this.container) : undefined
  }
}

/**
 * Disposes what containers made, the last first, because that may use what was made before it. tsyringe's own call
 * leaves out the rest once one of them throws.
 */
async function disposeAll(...containers: readonly DependencyContainer[]): Promise<void> {
  const instances = containers.flatMap((container) => [...internals(container).disposables]).toReversed()
  for (const container of containers) {
    internals(container).disposables.clear()
    // Closes the container: nothing can be made in it any more. There is nothing left to wait for.
    void container.dispose()
  }
  const outcomes = await Promise.allSettled(instances.map(async (instance) => dispose(instance)))
  const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
  if (reasons.length > 1) throw new AggregateError(reasons, 'several things could not be disposed')
  if (reasons.length === 1) throw reasons[0]
}

/** A class with several ways to be disposed has one that does all of it. */
function dispose(instance: Disposed): unknown {
  if (instance.dispose !== undefined) return instance.dispose()
  if (instance[Symbol.asyncDispose] !== undefined) return instance[Symbol.asyncDispose]?.()
  return instance[Symbol.dispose]?.()
}

function withParents(container: DependencyContainer): readonly DependencyContainer[] {
  const { parent } = internals(container)
  return parent === undefined ? [container] : [...withParents(parent), container]
}

function internals(container: DependencyContainer): Internals {
  return container as unknown as Internals
}
