import type { BootDiagnosticCode } from '../../errors/boot-error.js'
import { hasMetadata } from '../../metadata/store.js'
import type { Class } from '../../metadata/types.js'

/**
 * Whether a type that the compiler emitted for a parameter can stand for what to inject. Built-ins cannot: tsyringe
 * would make an empty Map or Date in silence. They include what stands for a type without a class of its own.
 */
export function isInjectable(type: unknown): boolean {
  if (type === undefined || type === null) return false
  return typeof type !== 'function' || Reflect.get(globalThis, type.name) !== type
}

type Diagnostic = [code: BootDiagnosticCode, message: string]

/** @param where `CalculatorTools.add, parameter 2`. */
export function describeMissingType(where: string, type: unknown): Diagnostic {
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

/**
 * A constructor whose parameters have neither types nor tokens.
 *
 * @param owner The class that declares the constructor.
 * @param target The class that is made with it: the same, or one that inherits it.
 * @param metadataIsOn Whether the compiler emitted types for any other class.
 */
export function noTypesEmitted(owner: Class, target: Class, metadataIsOn: boolean): Diagnostic {
  if (!(hasMetadata(owner) ?? (metadataIsOn && dropperIn(runtimeFlags()) === null))) {
    return lostMetadata(`The constructor of ${owner.name}`, '@Inject(token) on each of its parameters')
  }
  const [which, orReplace] =
    owner === target
      ? ['', '']
      : [
          `, which ${target.name} inherits,`,
          `, or give ${target.name} a constructor of its own if the parameters can be left out`,
        ]
  return [
    'undecorated-class',
    `${owner.name}: its constructor${which} has parameters but the class has no decorator, so the compiler emitted no ` +
      `types for them. Put @injectable() on the class${orReplace}.`,
  ]
}

/** @param fix What to write instead of relying on metadata. */
export function lostMetadata(where: string, fix: string): Diagnostic {
  const flags = runtimeFlags()
  const dropper = dropperIn(flags)
  const dropped =
    dropper === null ? 'the compiler emitted no decorator metadata' : `${dropper} drops decorator metadata`
  const advice = dropper === null ? adviceIn(flags) : compileAnew
  return ['lost-metadata', `${where}: ${dropped}, so its types are unknown here. Write ${fix}, or ${advice}.`]
}

function runtimeFlags(): string {
  return [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ')
}

/** Who drops metadata whatever it is told; `null` when that cannot be told. */
function dropperIn(flags: string): string | null {
  if (/[\\/]tsx[\\/]|\btsx\b/.test(flags)) return 'tsx'
  if (/esbuild/.test(flags)) return 'esbuild'
  return null
}

const compileAnew =
  'compile with metadata: tsc with "experimentalDecorators" and "emitDecoratorMetadata", or ' +
  '`node --import @oxc-node/core/register src/main.ts`'

const turnOn = 'set "experimentalDecorators" and "emitDecoratorMetadata" in a tsconfig.json that includes the file'

/** What to do where this process runs: another way of running it is of no use to who runs tests. */
function adviceIn(flags: string): string {
  if (flags.includes('@oxc-node')) return turnOn
  if (process.env['VITEST'] !== undefined) return `${turnOn}; before Vite 8, add the plugin unplugin-swc`
  if (process.env['JEST_WORKER_ID'] !== undefined) {
    return 'have the transform of Jest emit it: @swc/jest with "decoratorMetadata", ts-jest with "emitDecoratorMetadata"'
  }
  // Bun, Deno and ts-node, which emit it when they are told to. Node alone does not get beyond the first decorator.
  return /\.[cm]?tsx?$/.test(process.argv[1] ?? '') ? turnOn : compileAnew
}
