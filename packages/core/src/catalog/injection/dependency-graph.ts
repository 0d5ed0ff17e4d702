import type { AppContainer } from '../../container/app-container.js'
import { describeToken, emptyValueOf, type Registration } from '../../container/registration.js'
import { type InjectionToken, Lifecycle } from '../../container/tsyringe.js'
import { McpContext } from '../../context/mcp-context.js'
import { describeCopies, describeOtherCopy, otherCopyOf } from '../../copies/copies.js'
import type { Diagnostics } from '../../errors/diagnostics.js'
import { adoptConstructorTypes, constructorOf } from '../../metadata/compiled-types.js'
import { reportRecorded } from '../../metadata/store.js'
import type { Class } from '../../metadata/types.js'
import { describeMissingType, isInjectable, lostMetadata, noTypesEmitted } from './emitted-types.js'
import { SingletonLevels } from './singleton-levels.js'

/** Lifetime of an instance: shared by all calls, created for each injection, or created for each call. */
type Lifetime = 'singleton' | 'transient' | 'call'

interface DependencyGraphInit {
  readonly container: AppContainer
  readonly diagnostics: Diagnostics
  readonly metadataIsOn: boolean
}

/**
 * Walks all dependencies before any instance is created. Determines the lifetime of each instance, and reports problems
 * that tsyringe would find only during a call, or not at all.
 */
export class DependencyGraph {
  readonly #lifetimes = new Map<InjectionToken, Lifetime>()
  readonly #boundBy = new Map<InjectionToken, InjectionToken>()
  readonly #levels: SingletonLevels
  /** Dependencies in `delay(…)`, which breaks cycles. They are walked when no other walk is in progress. */
  readonly #delayed: Array<() => void> = []
  readonly #path: InjectionToken[] = []
  /** Singletons in the order of creation: each after its dependencies. */
  readonly singletons: InjectionToken[] = []

  constructor(private readonly init: DependencyGraphInit) {
    this.#levels = new SingletonLevels(init.container)
  }

  /** @param neededBy The dependent, for messages: `CalculatorTools.add, parameter 2`. */
  lifetimeOf(token: InjectionToken, neededBy: string): Lifetime {
    if (token === McpContext) return 'call'
    const known = this.#lifetimes.get(token)
    if (known !== undefined) return known
    if (this.#isOfAnotherCopy(token, neededBy)) return 'transient'
    if (this.#path.includes(token)) return this.#reportCycle(token)
    const registration = this.init.container.registrationOf(token)
    if (registration === null && !isInjectable(token)) {
      this.init.diagnostics.add(...describeMissingType(neededBy, token))
      return 'transient'
    }
    this.#path.push(token)
    const lifetime = this.#inspect(token, registration, neededBy)
    this.#path.pop()
    this.#lifetimes.set(token, lifetime)
    if (this.#path.length === 0) this.#walkDelayed()
    return lifetime
  }

  #isOfAnotherCopy(token: InjectionToken, neededBy: string): boolean {
    const what = `${neededBy}: ${describeToken(token)}`
    const { container, diagnostics } = this.init
    const other = typeof token === 'function' ? otherCopyOf(token) : undefined
    if (other !== undefined) {
      diagnostics.add('two-copies', `${what} is from ${describeOtherCopy(other)}`)
      return true
    }
    // If another copy of tsyringe has the registration, the container would ignore this registration, and create the class
    // directly.
    const registeredIn = this.#isRegistered(token) ? undefined : container.otherCopyThatRegistered(token)
    if (registeredIn === undefined) return false
    diagnostics.add(
      'two-copies',
      `${what} is registered with one copy of tsyringe, and created by another copy. ` +
        `${describeCopies(registeredIn.file, container.copy.file, 'tsyringe')} Or import \`container\`, \`singleton\` and ` +
        "the rest from 'toolwright', or pass the `container` of the other copy as the option `container` of the server.",
    )
    return true
  }

  #walkDelayed(): void {
    for (let walk = this.#delayed.shift(); walk !== undefined; walk = this.#delayed.shift()) walk()
  }

  #inspect(token: InjectionToken, registration: Registration | null, neededBy: string): Lifetime {
    if (registration !== null) return this.#inspectRegistration(token, registration, neededBy)
    if (typeof token === 'function') return this.#inspectConstructor(token as Class)
    if (typeof token === 'string' || typeof token === 'symbol') {
      this.init.diagnostics.add(
        'unresolvable-token',
        `${neededBy}: nothing is registered for the token ${describeToken(token)}. ` +
          'Register it before the server boots, with the container of toolwright: container.register(token, { useClass: … }).',
      )
    }
    const delayed: unknown = token
    if (isDelayed(delayed)) this.#delayed.push(() => this.#lifetimeFor(token, delayed.wrap(), neededBy))
    return 'transient'
  }

  #inspectRegistration(token: InjectionToken, registration: Registration, neededBy: string): Lifetime {
    const { provider, options } = registration
    this.#levels.addRegistered(token)
    if ('useValue' in provider || emptyValueOf(registration) !== null) return this.#singleton(token)
    const lifetime = this.#lifetimeBy(registration, token, neededBy)
    if (options.lifecycle === Lifecycle.ContainerScoped) this.init.container.scopeToCalls(token, registration)
    return options.lifecycle === Lifecycle.Singleton ? this.#singleton(token) : lifetime
  }

  #lifetimeBy({ provider, options }: Registration, maker: InjectionToken, neededBy: string): Lifetime {
    const inner = this.#inspectProvider(maker, provider, neededBy)
    if (options.lifecycle === Lifecycle.ContainerScoped) return 'call'
    if (options.lifecycle !== Lifecycle.Singleton) return inner
    if (inner === 'call') this.#reportCaptive(maker)
    this.#levels.addSingleton(maker)
    return 'singleton'
  }

  #inspectProvider(token: InjectionToken, provider: Registration['provider'], neededBy: string): Lifetime {
    const { useToken, useClass } = provider
    // tsyringe creates the class directly, and ignores registrations of the class.
    const isRegistered = typeof useClass === 'function' && this.#isRegistered(useClass as InjectionToken)
    if (useClass === token || isRegistered) return this.#inspectConstructor(useClass as Class, token)
    const inner = useToken ?? (useClass as InjectionToken | undefined)
    return inner === undefined ? 'transient' : this.#lifetimeFor(token, inner, neededBy)
  }

  #lifetimeFor(token: InjectionToken, inner: InjectionToken, neededBy: string): Lifetime {
    const lifetime = this.lifetimeOf(inner, neededBy)
    if (lifetime === 'call') this.#boundBy.set(token, inner)
    this.#levels.addUse(token, inner)
    return lifetime
  }

  #inspectConstructor(target: Class, maker = target as InjectionToken): Lifetime {
    reportRecorded(target, this.init.diagnostics)
    const { owner, types, unknown } = constructorOf(target)
    if (types === undefined) {
      if (owner.length > 0) this.init.diagnostics.add(...noTypesEmitted(owner, target, this.init.metadataIsOn))
      return 'transient'
    }
    for (const index of unknown) {
      const where = `The constructor of ${owner.name}, parameter ${index + 1}`
      this.init.diagnostics.add(...lostMetadata(where, '@Inject(token)'))
    }
    if (unknown.length === 0) {
      adoptConstructorTypes(target, types)
      this.init.container.makeInjectable(target as new () => object)
    }
    // `map` skips unknown parameters, for which `types` has no elements.
    const lifetimes = types.map((type, index) => this.#inspectParameter(target, maker, type, index))
    return lifetimes.includes('call') ? 'call' : 'transient'
  }

  #inspectParameter(target: Class, maker: InjectionToken, type: unknown, index: number): Lifetime {
    const where = `The constructor of ${target.name}, parameter ${index + 1}`
    if (!isTokenDescriptor(type)) return this.#lifetimeFor(maker, type as InjectionToken, where)
    if (type.isOptional === true && this.isLeftOut(type.token)) return 'transient'
    if (type.multiple) return this.#inspectAll(maker, type.token, where)
    return this.#lifetimeFor(maker, type.token, where)
  }

  /**
   * Whether `undefined` is injected for an optional token. False for a class: the container can create it without a registration.
   * False for a token of another copy of tsyringe, too: boot reports such a token as a mistake.
   */
  isLeftOut(token: InjectionToken): boolean {
    const isName = typeof token === 'string' || typeof token === 'symbol'
    return isName && !this.#isRegistered(token) && this.init.container.otherCopyThatRegistered(token) === undefined
  }

  #isRegistered(token: InjectionToken): boolean {
    return this.init.container.registrationOf(token) !== null
  }

  #inspectAll(target: InjectionToken, token: InjectionToken, where: string): Lifetime {
    const registrations = this.init.container.registrationsOf(token)
    if (this.#path.includes(token)) return this.#reportCycle(token)
    const lifetimes = [this.#lifetimeFor(target, token, where)]
    this.#path.push(token)
    // The last registration was already inspected by `#lifetimeFor`.
    for (const earlier of registrations.slice(0, -1))
      lifetimes.push(this.#inspectEarlier(target, token, earlier, where))
    this.#path.pop()
    return lifetimes.includes('call') ? 'call' : 'transient'
  }

  #inspectEarlier(target: InjectionToken, token: InjectionToken, earlier: Registration, where: string): Lifetime {
    // The dependencies of a transient instance are recorded for the class that uses the instance.
    const isKept = [Lifecycle.Singleton, Lifecycle.ContainerScoped].includes(earlier.options.lifecycle)
    const lifetime = this.#lifetimeBy(earlier, isKept ? token : target, where)
    if (isKept && lifetime === 'call') this.#boundBy.set(target, token)
    return lifetime
  }

  #singleton(token: InjectionToken): Lifetime {
    this.singletons.push(token)
    return 'singleton'
  }

  #reportCaptive(token: InjectionToken): void {
    const path = [token]
    for (let next = this.#boundBy.get(token); next !== undefined; next = this.#boundBy.get(next)) path.push(next)
    const names = path.map(describeToken)
    this.init.diagnostics.add(
      'captive-dependency',
      `${names.join(' -> ')}: ${names[0]} is a singleton, so it would keep the ${names.at(-1)} of the first call. ` +
        `Make ${names[0]} @scoped(Lifecycle.ContainerScoped), or pass the value as an argument.`,
    )
  }

  #reportCycle(token: InjectionToken): Lifetime {
    const cycle = [...this.#path.slice(this.#path.indexOf(token)), token].map(describeToken).join(' -> ')
    this.init.diagnostics.add(
      'circular-dependency',
      `${cycle}: these are injected into each other. ` +
        'Break the cycle: put @Inject(delay(() => Class)) on one parameter, and use an interface as its type.',
    )
    return 'transient'
  }
}

interface TokenDescriptor {
  readonly token: InjectionToken
  readonly multiple?: boolean
  readonly isOptional?: boolean
}

function isTokenDescriptor(type: unknown): type is TokenDescriptor {
  return typeof type === 'object' && type !== null && 'token' in type && 'multiple' in type
}

interface Delayed {
  wrap(): InjectionToken
}

function isDelayed(token: unknown): token is Delayed {
  return typeof token === 'object' && token !== null && 'wrap' in token && typeof token.wrap === 'function'
}
