import { type BootDiagnostic, BootError } from '../errors/boot-error.js'
import { recordDiagnostic } from '../metadata/store.js'
import { isClass } from '../metadata/types.js'

/** What a standard (TC39) decorator is called with in the place of a method's name. */
interface StandardContext {
  readonly kind?: string
  readonly name?: string | symbol
}

const standardKinds = ['class', 'method', 'getter', 'setter', 'field', 'accessor']

/** A decorator, for what it says of itself when it is written in a wrong way. */
interface WrittenDecorator {
  /** How it is written: `@McpTool()`. */
  readonly call: string
  /** Whether it makes features of methods, so that it has nothing to do on a class. */
  readonly isForFeatures?: boolean
}

/**
 * Finds `@McpTool` without parentheses, which the compiler sees and a runner that strips types does not: the decorator
 * is called with what it decorates instead of its options. It is recorded, and the decorator then has to return nothing,
 * since what it returned would be put in the place of what it decorates.
 *
 * @param second The method's name, or the context of a standard decorator, when it was not called.
 * @throws BootError from standard decorators, which are not told what class a method is of.
 */
export function isUncalled(
  { call, isForFeatures = false }: WrittenDecorator,
  first: unknown,
  second: unknown,
): boolean {
  if (typeof first === 'string') return false
  if (typeof second === 'string' || typeof second === 'symbol') {
    // What is no target are options, and a text too much: the decorator itself refuses that.
    if (!isPrototype(first) && !(isForFeatures && isClass(first))) return false
    recordDiagnostic(first as object, uncalled(call, nameOf(first, second)), isForFeatures ? second : undefined)
    return true
  }
  if (!isStandardContext(second)) return false
  const diagnostic = uncalled(call, String(second.name))
  if (second.kind !== 'class') throw new BootError([diagnostic])
  recordDiagnostic(first as object, diagnostic)
  return true
}

/**
 * Without parentheses on a class, a decorator is called with the class, as it is with an option that happens to be one:
 * `@Authorize` on `Tools` looks like `@Authorize(Tools)`. So what it returns is both. As a decorator, it records an option
 * that boot refuses; in the place of the class, it has all that the class has, and the problem besides.
 */
export function standInFor<Decorator extends (...args: never[]) => void>(
  first: unknown,
  { call, isForFeatures = false }: WrittenDecorator,
  decorate: Decorator,
): Decorator {
  if (!isClass(first)) return decorate
  function standIn(...args: never[]): unknown {
    return new.target === undefined ? decorate(...args) : Reflect.construct(first as never, args, new.target)
  }
  Object.setPrototypeOf(standIn, first)
  Object.defineProperties(standIn, { name: { value: first.name }, prototype: { value: first.prototype } })
  recordDiagnostic(standIn, uncalled(call, first.name, isForFeatures ? ' on a method' : ''))
  return standIn as Decorator
}

function isPrototype(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'constructor')) return false
  return (value as { readonly constructor: { readonly prototype?: unknown } }).constructor.prototype === value
}

/** Options that are one object too many may have a `kind` of their own. */
function isStandardContext(value: unknown): value is StandardContext {
  if (typeof value !== 'object' || value === null || !('kind' in value && 'name' in value)) return false
  return standardKinds.includes(value.kind as string)
}

/**
 * @param name What it is on: `Tools` or `Tools.add`.
 * @param place Where it belongs, when that is no class: `' on a method'`.
 */
export function uncalled(call: string, name: string, place = ''): BootDiagnostic {
  const message = `${call.replace(/\(.*/, '')} on '${name}' has no parentheses. Write ${call}${place}.`
  return { code: 'uncalled-decorator', message }
}

/** @param fix `Put it on a method`. */
export function misplaced(decorator: string, name: string, fix: string): BootDiagnostic {
  return { code: 'bad-decorator-target', message: `${decorator} is on '${name}'. ${fix}.` }
}

/** @param target A class, or the prototype of one. */
export function nameOf(target: unknown, method?: string | symbol): string {
  const decorated = (typeof target === 'function' ? target : (target as object).constructor) as {
    readonly name: string
  }
  return method === undefined ? decorated.name : `${decorated.name}.${String(method)}`
}

/**
 * Refuses to work as a standard decorator.
 *
 * @param decorator As it is written: `@McpTool`.
 * @throws BootError on a member, of which a standard decorator does not know the class.
 */
export function recordStandard(decorator: string, target: object, context: StandardContext): void {
  const message =
    `${decorator} on '${String(context.name)}' was called as a standard (TC39) decorator, which has no parameter ` +
    'types. Set "experimentalDecorators": true and "emitDecoratorMetadata": true in tsconfig.json.'
  const diagnostic = { code: 'standard-decorators', message } as const
  if (context.kind !== 'class') throw new BootError([diagnostic])
  recordDiagnostic(target, diagnostic)
}
