import type { BootProblemCode } from '../../errors/boot-error.js'
import type { Class } from '../../metadata/types.js'

/**
 * Whether a type that the compiler emitted for a parameter can stand for what to inject. Built-ins cannot: tsyringe
 * would make an empty Map or Date in silence. They include what stands for a type without a class of its own.
 */
export function isInjectable(type: unknown): boolean {
  if (type === undefined || type === null) return false
  return typeof type !== 'function' || Reflect.get(globalThis, type.name) !== type
}

type Problem = [code: BootProblemCode, message: string]

/** @param where `CalculatorTools.add, parameter 1`. */
export function describeMissingType(where: string, type: unknown): Problem {
  if (type === undefined) {
    return [
      'circular-import',
      `${where}: its class is undefined when this one is defined, perhaps because two files import each other. ` +
        'Write @Inject(delay(() => Class)), or move the class to a file of its own.',
    ]
  }
  const name = (type as Class | null)?.name ?? 'null'
  // `Object` stands for an interface, a union and (swc, oxc) an `import type` class, which is `Function` under tsc.
  const fix =
    type === Object || type === Function
      ? 'An interface, a union or an object type needs @Inject(token). ' +
        'A class needs a value import: write `import`, not `import type`.'
      : 'A built-in needs @Inject(token).'
  return ['unresolvable-token', `${where}: its type is ${name} at run time, which cannot be injected. ${fix}`]
}

/** A constructor with parameters, and no word from the compiler about them. */
export function noTypesEmitted(target: Class, metadataIsOn: boolean): Problem {
  if (metadataIsOn) {
    return [
      'undecorated-class',
      `${target.name}: its constructor has parameters but the class has no decorator, so the compiler emitted no ` +
        'types for them. Put @injectable() on the class.',
    ]
  }
  return lostMetadata(`The constructor of ${target.name}`, '@Inject(token) on each of its parameters')
}

/** @param fix What to write instead of relying on metadata. */
export function lostMetadata(where: string, fix: string): Problem {
  const runner = runnerIn([...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' '))
  const dropped =
    runner.drops === null ? 'the compiler emitted no decorator metadata' : `${runner.drops} drops decorator metadata`
  return ['lost-metadata', `${where}: ${dropped}, so its types are unknown here. Write ${fix}, or ${runner.advice}.`]
}

interface Runner {
  /** Who drops metadata whatever it is told; `null` when that cannot be told. */
  readonly drops: string | null
  readonly advice: string
}

const compileAnew =
  'compile with metadata: tsc with "experimentalDecorators" and "emitDecoratorMetadata", or ' +
  '`node --import @oxc-node/core/register src/main.ts`'

/** The tool that runs this process without metadata, and what to do about it. */
function runnerIn(flags: string): Runner {
  if (flags.includes('@oxc-node')) {
    const advice = 'set "experimentalDecorators" and "emitDecoratorMetadata" in a tsconfig.json that includes the file'
    return { drops: null, advice }
  }
  return { drops: dropperIn(flags), advice: compileAnew }
}

function dropperIn(flags: string): string | null {
  if (/[\\/]tsx[\\/]|\btsx\b/.test(flags)) return 'tsx'
  if (/esbuild/.test(flags)) return 'esbuild'
  if (/strip-types/.test(flags) || /\.[cm]?ts$/.test(process.argv[1] ?? '')) return 'this way of running TypeScript'
  return null
}
