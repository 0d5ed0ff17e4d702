import { Script } from 'node:vm'
import '../container/tsyringe.js'
import { classChain, isDecorated, ownFeatures, prototypeChain } from './store.js'
import { type Class, type EmittedTypes, isClass } from './types.js'

// Types of parameters and return values, which compilers and tsyringe store on a class.

export function emittedMethodTypes(controller: Class, method: string | symbol): EmittedTypes {
  const owner = ownerOfTypes(controller, method)
  if (owner === undefined) return { parameters: undefined, returns: undefined }
  return {
    parameters: Reflect.getOwnMetadata('design:paramtypes', owner, method) as unknown[] | undefined,
    returns: Reflect.getOwnMetadata('design:returntype', owner, method) as unknown,
  }
}

function ownerOfTypes(controller: Class, method: string | symbol): object | undefined {
  return prototypeChain(controller).find(
    (prototype) => Reflect.hasOwnMetadata('design:paramtypes', prototype, method) || ownFeatures(prototype).has(method),
  )
}

/** Whether the compiler emitted parameter types, but no return type. Some compilers omit a return type that they do not know. */
export function lacksReturnType(controller: Class, method: string | symbol): boolean {
  const owner = ownerOfTypes(controller, method)
  if (owner === undefined || !Reflect.hasOwnMetadata('design:paramtypes', owner, method)) return false
  return !Reflect.hasOwnMetadata('design:returntype', owner, method)
}

interface ConstructorMetadata {
  readonly owner: Class
  /**
   * Types that the compiler emitted; the token of an `@Inject` replaces a type. `undefined` if there are no types and no tokens.
   */
  readonly types: readonly unknown[] | undefined
  /** Indexes of parameters with neither a type nor a token. Empty if no parameter has a token. */
  readonly unknown: readonly number[]
}

/** Reads own metadata only: the types of a base class do not apply to a constructor of a subclass. */
export function constructorOf(target: Class): ConstructorMetadata {
  const owner = ownerOfConstructor(target)
  const types = Reflect.getOwnMetadata('design:paramtypes', owner) as readonly unknown[] | undefined
  const tokens = Object.entries(ownInjectionTokens(owner) ?? {})
  if (types === undefined && tokens.length === 0) return { owner, types, unknown: [] }
  const merged = [...(types ?? [])]
  for (const [index, token] of tokens) merged[Number(index)] = token
  const count = Math.max(merged.length, types === undefined ? owner.length : 0)
  const unknown = Array.from({ length: count }, (_, index) => index).filter((index) => !(index in merged))
  return { owner, types: merged, unknown }
}

function ownerOfConstructor(target: Class): Class {
  const chain = classChain(target) as Class[]
  return chain.find((each) => declaresParameters(each, target) || !isConstructorInherited(each)) ?? target
}

/**
 * Whether a class declares parameters of its constructor. The `length` of a base function, such as Node's `EventEmitter`, is
 * ignored, because this `length` includes optional parameters.
 */
function declaresParameters(declaring: Class, target: Class): boolean {
  if (declaring.length > 0) return declaring === target || isClass(declaring)
  return Reflect.hasOwnMetadata('design:paramtypes', declaring) || ownInjectionTokens(declaring) !== undefined
}

/**
 * Whether a class has no constructor, or only a constructor that passes all arguments on. Compilers emit such a constructor
 * to initialize fields.
 */
function isConstructorInherited(target: Class): boolean {
  const source = Function.prototype.toString.call(target)
  const declared = /(?:^|[{};])\s*constructor\s*\((\s*\.{3})?/m.exec(source)
  if (declared === null || declared[1] !== undefined || source.includes('super(...arguments)')) return true
  // The match could be in a string or in an inner class. The test adds a constructor to the code, which is a syntax error only if
  // the class already has a constructor.
  return isSyntax(`(${source.slice(0, source.lastIndexOf('}'))}\n;constructor(){}})`)
}

function isSyntax(code: string): boolean {
  try {
    void new Script(code)
    return true
  } catch {
    return false
  }
}

/**
 * Whether tsyringe's own `@inject` is on a parameter of a method. tsyringe does not record the method, so the token is
 * unknown.
 */
export function hasMisplacedInject(controller: Class): boolean {
  return prototypeChain(controller).some((prototype) => Reflect.hasOwnMetadata('injectionTokens', prototype))
}

function ownInjectionTokens(target: Class): Readonly<Record<string, unknown>> | undefined {
  return Reflect.getOwnMetadata('injectionTokens', target) as Readonly<Record<string, unknown>> | undefined
}

/** Copies the types of an inherited constructor to a class: tsyringe does not read the tokens of a base class. */
export function adoptConstructorTypes(target: Class, types: readonly unknown[]): void {
  if (!Reflect.hasOwnMetadata('design:paramtypes', target)) {
    Reflect.defineMetadata('design:paramtypes', [...types], target)
  }
}

/**
 * Whether the file of a class was compiled with metadata; `undefined` for a class without decorators. The answer can differ
 * between classes, because different compilers can compile the files of one program.
 */
export function hasMetadata(target: Class): boolean | undefined {
  const prototype = target.prototype as object
  const methods = [...ownFeatures(prototype).keys()]
  if (methods.length === 0) return isDecorated(target) ? false : undefined
  return methods.some((method) => Reflect.hasOwnMetadata('design:paramtypes', prototype, method))
}
