import type { AppContainer, Registration } from '../container/app-container.js'
import { describeToken } from '../container/describe-token.js'
import { type InjectionToken, Lifecycle } from '../container/tsyringe.js'
import type { Problems } from '../errors/problems.js'
import { emittedConstructorTypes } from '../metadata/store.js'
import type { Class } from '../metadata/types.js'
import { describeMissingType, isInjectable, noTypesEmitted } from './emitted-types.js'

/** How long an instance lives: one for all calls, a new one each time it is asked for, or one for each call. */
export type Lifetime = 'singleton' | 'transient' | 'call'

/**
 * Walks what is injected, before anything is made: finds out how long each instance lives and reports what tsyringe
 * would only stumble over in a call, or would get wrong in silence.
 */
export class DependencyGraph {
  readonly #lifetimes = new Map<InjectionToken, Lifetime>()
  readonly #path: InjectionToken[] = []
  /** In the order in which they can be made: what a singleton needs comes before it. */
  readonly singletons: InjectionToken[] = []

  constructor(
    private readonly container: AppContainer,
    private readonly problems: Problems,
    /** What exists once for each call by nature, such as the context. */
    private readonly callTokens: ReadonlySet<InjectionToken>,
  ) {}

  /** @param neededBy Who asks, for the message: `CalculatorTools.add, parameter 1`. */
  lifetimeOf(token: InjectionToken, neededBy: string): Lifetime {
    if (this.callTokens.has(token)) return 'call'
    const known = this.#lifetimes.get(token)
    if (known !== undefined) return known
    if (this.#path.includes(token)) return this.#reportCycle(token)
    this.#path.push(token)
    const lifetime = this.#inspect(token, neededBy)
    this.#path.pop()
    this.#lifetimes.set(token, lifetime)
    return lifetime
  }

  #inspect(token: InjectionToken, neededBy: string): Lifetime {
    const registration = this.container.registrationOf(token)
    if (registration !== null) return this.#inspectRegistration(token, registration, neededBy)
    if (typeof token === 'function') return this.#inspectConstructor(token as Class)
    if (typeof token === 'string' || typeof token === 'symbol') {
      this.problems.add(
        'unresolvable-token',
        `${neededBy}: nothing is registered for the token ${describeToken(token)}. Register it in the container before the server boots.`,
      )
    }
    // What is left is delay(() => Class): resolved on first use, and there to break a cycle, so not walked.
    return 'transient'
  }

  #inspectRegistration(token: InjectionToken, registration: Registration, neededBy: string): Lifetime {
    const { provider, options } = registration
    if ('useValue' in provider) return this.#singleton(token)
    const { lifecycle } = options
    const inner = this.#inspectProvider(token, provider, neededBy)
    if (lifecycle === Lifecycle.ContainerScoped) {
      this.container.scopeToCalls(token, registration)
      return 'call'
    }
    if (lifecycle !== Lifecycle.Singleton) return inner
    if (inner === 'call') this.#reportCaptive(token)
    return this.#singleton(token)
  }

  #inspectProvider(token: InjectionToken, provider: Registration['provider'], neededBy: string): Lifetime {
    if (provider.useToken !== undefined) return this.lifetimeOf(provider.useToken, neededBy)
    const { useClass } = provider
    if (typeof useClass !== 'function') return 'transient'
    return useClass === token
      ? this.#inspectConstructor(useClass as Class)
      : this.lifetimeOf(useClass as never, neededBy)
  }

  #inspectConstructor(target: Class): Lifetime {
    const types = emittedConstructorTypes(target)
    if (types === undefined) {
      if (target.length > 0) this.problems.add(...noTypesEmitted(target))
      return 'transient'
    }
    const lifetimes = types.map((type, index) => this.#inspectParameter(target, type, index))
    return lifetimes.includes('call') ? 'call' : 'transient'
  }

  #inspectParameter(target: Class, type: unknown, index: number): Lifetime {
    const where = `Constructor of ${target.name}, parameter ${index}`
    if (isTokenDescriptor(type)) return type.isOptional ? 'transient' : this.lifetimeOf(type.token, where)
    if (isInjectable(type)) return this.lifetimeOf(type as InjectionToken, where)
    this.problems.add(...describeMissingType(where, type))
    return 'transient'
  }

  #singleton(token: InjectionToken): Lifetime {
    this.singletons.push(token)
    return 'singleton'
  }

  #reportCaptive(token: InjectionToken): void {
    this.problems.add(
      'captive-dependency',
      `${describeToken(token)} is a singleton, but what it is injected with exists once for each call: it would keep the ` +
        "first call's. Make it @scoped(Lifecycle.ContainerScoped), or pass the value as an argument.",
    )
  }

  #reportCycle(token: InjectionToken): Lifetime {
    const cycle = [...this.#path.slice(this.#path.indexOf(token)), token].map(describeToken).join(' -> ')
    this.problems.add(
      'circular-dependency',
      `${cycle}: these classes are injected into each other. Break the circle with @inject(delay(() => Class)).`,
    )
    return 'transient'
  }
}

interface TokenDescriptor {
  readonly token: InjectionToken
  readonly multiple?: boolean
  readonly isOptional?: boolean
}

/** What `@injectAll` and `@inject(token, { isOptional })` record instead of a bare token. */
function isTokenDescriptor(type: unknown): type is TokenDescriptor {
  return typeof type === 'object' && type !== null && 'token' in type && 'multiple' in type
}
