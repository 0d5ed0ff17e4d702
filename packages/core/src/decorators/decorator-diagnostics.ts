import { type BootDiagnostic, BootError } from '../errors/boot-error.js'
import { recordDiagnostic } from '../metadata/store.js'
import { isClass } from '../metadata/types.js'

/** The second argument of a standard (TC39) decorator. Legacy decorators get the method's name instead. */
interface StandardContext {
  readonly kind?: string
  readonly name?: string | symbol
}

const standardKinds = ['class', 'method', 'getter', 'setter', 'field', 'accessor']

interface WrittenDecorator {
  readonly call: string
  /** Whether the decorator declares features, so that it belongs on a method, not on a class. */
  readonly isForFeatures?: boolean
}

/**
 * Detects `@McpTool` without parentheses, which compilers report, but runtimes that strip types do not. The decorator is then
 * called with the decorated class or prototype instead of its options. Records this mistake. If the result is true, the decorator
 * must return `undefined`, because any other value would replace the decorated class or member.
 *
 * @param second Without parentheses: the method's name, or the context of a standard decorator.
 * @throws BootError for a standard decorator on a member, which does not receive the class of the member.
 */
export function isUncalled(
  { call, isForFeatures = false }: WrittenDecorator,
  first: unknown,
  second: unknown,
): boolean {
  if (typeof first === 'string') return false
  if (typeof second === 'string' || typeof second === 'symbol') {
    // The first argument is an options object, so the decorator was called with options and a name. The decorator itself reports
    // the name.
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
 * Returns a function that works as a decorator and as the decorated class: without parentheses, `@Authorize` on the class
 * `Tools` looks like `@Authorize(Tools)`. As a decorator, the returned function reports the class as an invalid option. As the
 * class, it has all members of the class, and a diagnostic that boot reports.
 */
export function decoratorOrClass<Decorator extends (...args: never[]) => void>(
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

/** Compares `kind` with the known kinds, because an extra object of options can have a `kind` as well. */
function isStandardContext(value: unknown): value is StandardContext {
  if (typeof value !== 'object' || value === null || !('kind' in value && 'name' in value)) return false
  return standardKinds.includes(value.kind as string)
}

/**
 * @param name The decorated class or method: `Tools` or `Tools.add`.
 * @param place The correct place, if it is not a class: `' on a method'`.
 */
export function uncalled(call: string, name: string, place = ''): BootDiagnostic {
  const message = `${call.replace(/\(.*/, '')} on '${name}' has no parentheses. Write ${call}${place}.`
  return { code: 'uncalled-decorator', message }
}

export function misplaced(decorator: string, name: string, fix: string): BootDiagnostic {
  return { code: 'bad-decorator-target', message: `${decorator} is on '${name}'. ${fix}.` }
}

export function nameOf(target: unknown, method?: string | symbol): string {
  const { name } = typeof target === 'function' ? target : (target as object).constructor
  return method === undefined ? name : `${name}.${String(method)}`
}

/**
 * Records that a decorator was called as a standard decorator, which is not supported.
 *
 * @param decorator The name of the decorator: `@McpTool`.
 * @throws BootError on a member, because a standard decorator does not receive the class of the member.
 */
export function recordStandard(decorator: string, target: object, context: StandardContext): void {
  const message =
    `${decorator} on '${String(context.name)}' was called as a standard (TC39) decorator, which has no parameter ` +
    'types. Set "experimentalDecorators": true and "emitDecoratorMetadata": true in tsconfig.json.'
  const diagnostic = { code: 'standard-decorators', message } as const
  if (context.kind !== 'class') throw new BootError([diagnostic])
  recordDiagnostic(target, diagnostic)
}
