import type { AppContainer, Registration } from '../container/app-container.js'
import { describeToken } from '../container/describe-token.js'
import { type InjectionToken, Lifecycle } from '../container/tsyringe.js'
import type { Problems } from '../errors/problems.js'
import { emittedConstructorTypes } from '../metadata/store.js'
import type { Class } from '../metadata/types.js'
import { describeMissingType, isInjectable, noTypesEmitted } from './emitted-types.js'

/** How long an instance lives: one for all calls, a new one each time it is asked for, or one for each call. */
export type Lifetime = 'singleton' | 'transient' | 'call'

export interface DependencyGraphInit {
  readonly container: AppContainer
  readonly problems: Problems
  /** Whether the compiler emitted types anywhere. */
  readonly metadataIsOn: boolean
  /** What exists once for each call by nature, such as the context. */
  readonly callTokens: ReadonlySet<InjectionToken>
}

/**
 * Walks what is injected, before anything is made: finds out how long each instance lives and reports what tsyringe
 * would only stumble over in a call, or would get wrong in silence.
 */
export class DependencyGraph {
  readonly #lifetimes = new Map<InjectionToken, Lifetime>()
  /** What makes a token live for one call, where that is something it is injected with. */
  readonly #boundBy = new Map<InjectionToken, InjectionToken>()
  /** What each server has its own one of, and what is made with that. */
  readonly #ofServer = new Set<InjectionToken>()
  readonly #path: InjectionToken[] = []
  /** In the order in which they can be made: what a singleton needs comes before it. */
  readonly singletons: InjectionToken[] = []

  constructor(private readonly init: DependencyGraphInit) {}

  /** @param neededBy Who asks, for the message: `CalculatorTools.add, parameter 1`. */
  lifetimeOf(token: InjectionToken, neededBy: string): Lifetime {
    if (this.init.callTokens.has(token)) return 'call'
    const known = this.#lifetimes.get(token)
    if (known !== undefined) return known
    if (this.#path.includes(token)) return this.#reportCycle(token)
    const registration = this.init.container.registrationOf(token)
    if (registration === null && !isInjectable(token)) {
      this.init.problems.add(...describeMissingType(neededBy, token))
      return 'transient'
    }
    this.#path.push(token)
    const lifetime = this.#inspect(token, registration, neededBy)
    this.#path.pop()
    this.#lifetimes.set(token, lifetime)
    return lifetime
  }

  #inspect(token: InjectionToken, registration: Registration | null, neededBy: string): Lifetime {
    if (registration !== null) return this.#inspectRegistration(token, registration, neededBy)
    if (typeof token === 'function') return this.#inspectConstructor(token as Class)
    if (typeof token === 'string' || typeof token === 'symbol') {
      this.init.problems.add(
        'unresolvable-token',
        `${neededBy}: nothing is registered for the token ${describeToken(token)}. ` +
          'Register it before the server boots: container.register(token, { useClass: … }).',
      )
    }
    // What is left is delay(() => Class): resolved on first use, and there to break a cycle, so not walked.
    return 'transient'
  }

  #inspectRegistration(token: InjectionToken, registration: Registration, neededBy: string): Lifetime {
    const { provider, options } = registration
    if ('useValue' in provider) {
      if (this.init.container.isOfServer(token)) this.#ofServer.add(token)
      return this.#singleton(token)
    }
    const { lifecycle } = options
    const inner = this.#inspectProvider(token, provider, neededBy)
    if (lifecycle === Lifecycle.ContainerScoped) {
      this.init.container.scopeToCalls(token, registration)
      return 'call'
    }
    if (lifecycle !== Lifecycle.Singleton) return inner
    if (inner === 'call') this.#reportCaptive(token)
    if (this.#ofServer.has(token)) this.init.container.keepForServer(token)
    return this.#singleton(token)
  }

  #inspectProvider(token: InjectionToken, provider: Registration['provider'], neededBy: string): Lifetime {
    const { useToken, useClass } = provider
    if (useClass === token) return this.#inspectConstructor(useClass as Class)
    const inner = useToken ?? (useClass as InjectionToken | undefined)
    return inner === undefined ? 'transient' : this.#lifetimeFor(token, inner, neededBy)
  }

  /** The lifetime of what a token is made with. */
  #lifetimeFor(token: InjectionToken, inner: InjectionToken, neededBy: string): Lifetime {
    const lifetime = this.lifetimeOf(inner, neededBy)
    if (lifetime === 'call') this.#boundBy.set(token, inner)
    if (this.#ofServer.has(inner)) this.#ofServer.add(token)
    return lifetime
  }

  #inspectConstructor(target: Class): Lifetime {
    const types = emittedConstructorTypes(target)
    if (types === undefined) {
      if (target.length > 0) this.init.problems.add(...noTypesEmitted(target, this.init.metadataIsOn))
      return 'transient'
    }
    this.init.container.makeInjectable(target as new () => object)
    const lifetimes = types.map((type, index) => this.#inspectParameter(target, type, index))
    return lifetimes.includes('call') ? 'call' : 'transient'
  }

  #inspectParameter(target: Class, type: unknown, index: number): Lifetime {
    const where = `The constructor of ${target.name}, parameter ${index}`
    if (!isTokenDescriptor(type)) return this.#lifetimeFor(target as InjectionToken, type as InjectionToken, where)
    return type.isOptional ? 'transient' : this.#lifetimeFor(target as InjectionToken, type.token, where)
  }

  #singleton(token: InjectionToken): Lifetime {
    this.singletons.push(token)
    return 'singleton'
  }

  #reportCaptive(token: InjectionToken): void {
    const path = [token]
    for (let next = this.#boundBy.get(token); next !== undefined; next = this.#boundBy.get(next)) path.push(next)
    const names = path.map(describeToken)
    this.init.problems.add(
      'captive-dependency',
      `${names.join(' -> ')}: ${names[0]} is a singleton, so it would keep the ${names.at(-1)} of the first call. ` +
        'Make it @scoped(Lifecycle.ContainerScoped), or pass it the value as an argument.',
    )
  }

  #reportCycle(token: InjectionToken): Lifetime {
    const cycle = [...this.#path.slice(this.#path.indexOf(token)), token].map(describeToken).join(' -> ')
    this.init.problems.add(
      'circular-dependency',
      `${cycle}: these are injected into each other. Break the circle with @Inject(delay(() => Class)) on one of them.`,
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
