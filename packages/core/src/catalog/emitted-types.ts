import type { BootProblemCode } from '../errors/boot-error.js'
import { emittedMethodTypes, featuresOf } from '../metadata/store.js'
import type { Class } from '../metadata/types.js'

// What the compiler emits for a parameter that names no injectable class. `Object` stands for an interface, a union and
// (swc, oxc) an `import type` class; `Function` for an `import type` class under tsc. tsyringe would silently inject an
// empty Map or Date where one of those is asked for.
const notInjectable = new Set<unknown>([
  Object,
  Function,
  String,
  Number,
  Boolean,
  Symbol,
  BigInt,
  Array,
  Promise,
  Map,
  Set,
  WeakMap,
  WeakSet,
  Date,
  RegExp,
  Error,
  undefined,
  null,
])

export function isInjectable(type: unknown): boolean {
  return !notInjectable.has(type)
}

type Problem = [code: BootProblemCode, message: string]

/** @param where `CalculatorTools.add, parameter 1`. */
export function describeMissingType(where: string, type: unknown): Problem {
  if (type === undefined) {
    return [
      'circular-import',
      `${where}: its class is undefined while this file loads, so the two files import each other. ` +
        'Name it with @Inject(delay(() => Class)), or move the class to a file of its own.',
    ]
  }
  const name = (type as Class | null)?.name ?? 'null'
  return [
    'unresolvable-token',
    `${where}: its type is ${name} at run time, which cannot be injected. An interface, a union or a built-in needs ` +
      '@Inject(token). A class needs a value import: write `import { Clock }`, not `import type { Clock }`.',
  ]
}

/** A constructor with parameters, and no word from the compiler about them. */
export function noTypesEmitted(target: Class): Problem {
  const metadataIsOn = featuresOf(target).some(
    ({ method }) => emittedMethodTypes(target, method).parameters !== undefined,
  )
  if (metadataIsOn || droppedBy() === null) {
    return [
      'undecorated-class',
      `${target.name} has constructor parameters but no decorator, so the compiler emitted no types for them. ` +
        'Put @injectable() or @McpController() on the class.',
    ]
  }
  return lostMetadata(`Constructor of ${target.name}`, '@Inject(token) on each of its parameters')
}

/** @param fix What to write instead of relying on metadata. */
export function lostMetadata(where: string, fix: string): Problem {
  const culprit = droppedBy()
  const dropped =
    culprit === null ? 'the compiler emitted no decorator metadata' : `${culprit} drops decorator metadata`
  return [
    'lost-metadata',
    `${where}: ${dropped}, so its types are unknown here. Write ${fix}, or compile with metadata: tsc with ` +
      '"experimentalDecorators" and "emitDecoratorMetadata", or `node --import @oxc-node/core/register src/main.ts`.',
  ]
}

/** The tool that runs this process without metadata, when it can be told. */
function droppedBy(): string | null {
  const flags = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ')
  if (/[\\/]tsx[\\/]|\btsx\b/.test(flags)) return 'tsx'
  if (/esbuild/.test(flags)) return 'esbuild'
  if (/strip-types/.test(flags) || /\.[cm]?ts$/.test(process.argv[1] ?? '')) return 'this way of running TypeScript'
  return null
}
