import type { BootDiagnosticCode } from '../../errors/boot-error.js'
import { hasMetadata } from '../../metadata/compiled-types.js'
import type { Class } from '../../metadata/types.js'

/**
 * Whether a type that the compiler emitted for a parameter can be injected. Built-in types cannot be injected: tsyringe would
 * silently create an empty Map or Date. The built-in types include `Object`, which compilers emit for types that are not classes.
 */
export function isInjectable(type: unknown): boolean {
  if (type === undefined || type === null) return false
  return typeof type !== 'function' || Reflect.get(globalThis, type.name) !== type
}

type Diagnostic = [code: BootDiagnosticCode, message: string]

export function describeMissingType(where: string, type: unknown): Diagnostic {
  if (type === undefined) {
    return [
      'circular-import',
      `${where}: its class is still undefined at this point, perhaps because two files import each other. ` +
        'Write @Inject(delay(() => Class)), or move the class to a separate file.',
    ]
  }
  const name = (type as Class | null)?.name ?? 'null'
  // Compilers emit `Object` for an interface and for a union. For an `import type` class, swc and oxc emit `Object`, and tsc
  // emits `Function`.
  const fix =
    type === Object || type === Function
      ? 'An interface, a union or an object type needs @Inject(token). ' +
        'A class needs a value import: write `import`, not `import type`.'
      : 'A built-in type needs @Inject(token).'
  return ['unresolvable-token', `${where}: its type is ${name} at run time, which cannot be injected. ${fix}`]
}

/**
 * Describes a constructor whose parameters have neither types nor tokens.
 *
 * @param owner The class that declares the constructor.
 * @param target The injected class: `owner`, or a class that inherits the constructor.
 * @param metadataIsOn Whether the compiler emitted types for any other class.
 */
export function noTypesEmitted(owner: Class, target: Class, metadataIsOn: boolean): Diagnostic {
  if (!(hasMetadata(owner) ?? (metadataIsOn && dropperIn(runtimeFlags()) === null))) {
    return lostMetadata(`The constructor of ${owner.name}`, '@Inject(token) on each of its parameters')
  }
  const isOwn = owner === target
  const which = isOwn ? '' : `, which ${target.name} inherits,`
  const orReplace = isOwn ? '' : `, or give ${target.name} its own constructor if the parameters can be left out`
  return [
    'undecorated-class',
    `${owner.name}: its constructor${which} has parameters but the class has no decorator, so the compiler emitted no ` +
      `types for them. Put @injectable() on the class${orReplace}.`,
  ]
}

export function lostMetadata(where: string, fix: string): Diagnostic {
  const flags = runtimeFlags()
  const dropper = dropperIn(flags)
  const dropped =
    dropper === null ? 'the compiler emitted no decorator metadata' : `${dropper} drops decorator metadata`
  const advice = dropper === null ? adviceIn(flags) : compileAnew
  return ['lost-metadata', `${where}: ${dropped}, so parameter types are unknown. Write ${fix}, or ${advice}.`]
}

function runtimeFlags(): string {
  return [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ')
}

function dropperIn(flags: string): string | null {
  if (/[\\/]tsx[\\/]|\btsx\b/.test(flags)) return 'tsx'
  if (/esbuild/.test(flags)) return 'esbuild'
  return null
}

const compileAnew =
  'compile with metadata: tsc with "experimentalDecorators" and "emitDecoratorMetadata", or ' +
  '`node --import @oxc-node/core/register src/main.ts`'

const turnOn = 'set "experimentalDecorators" and "emitDecoratorMetadata" in a tsconfig.json that includes the file'

function adviceIn(flags: string): string {
  if (flags.includes('@oxc-node')) return turnOn
  if (process.env['VITEST'] !== undefined) return `${turnOn}; before Vite 8, add the plugin unplugin-swc`
  if (process.env['JEST_WORKER_ID'] !== undefined) {
    return 'let the transform of Jest emit metadata: @swc/jest with "decoratorMetadata", or ts-jest with "emitDecoratorMetadata"'
  }
  // A TypeScript entry point means Bun, Deno or ts-node, which emit metadata if configured. Node without a loader would have
  // failed at the first decorator.
  return /\.[cm]?tsx?$/.test(process.argv[1] ?? '') ? turnOn : compileAnew
}
