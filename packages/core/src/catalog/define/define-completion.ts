import { collectMembers } from '@toolwright/schema'
import type { Diagnostics } from '../../errors/diagnostics.js'
import { nearestName } from '../../errors/nearest-name.js'
import type { CompletionTarget } from '../../metadata/types.js'
import type { CompletionDefinition, Runnable, SharedOptions, Visibility } from '../definitions.js'
import type { FeatureRegistries } from '../feature-registry.js'
import { defineVisibility } from './define-visibility.js'
import { toSnakeCase } from './wire-name.js'

/** Whether the value is a target. Runners that do not check types accept other values. */
export function isCompletionTarget(value: unknown): value is CompletionTarget {
  return typeof value === 'object' && value !== null && ('prompt' in value || 'resource' in value)
}

/** Returns the target as a string, which is also the key of its completion: each target has at most one completion. */
export function completionKey(target: CompletionTarget): string {
  const of = 'prompt' in target ? `prompt ${target.prompt}` : `resource ${target.resource}`
  return `${of}: ${target.argument}`
}

export function defineCompletion(
  target: CompletionTarget,
  {
    source,
    origin,
    rule,
    hooks,
    transports,
    shared,
  }: Omit<Runnable, 'model' | keyof Visibility> & {
    readonly shared?: SharedOptions
  },
): CompletionDefinition {
  const visibility = defineVisibility({ tags: [], enabled: true }, shared)
  return Object.freeze({ target, source, origin, rule, hooks, transports, model: null, ...visibility })
}

export function checkCompletionTarget(
  { target, origin }: CompletionDefinition,
  registries: FeatureRegistries,
  diagnostics: Diagnostics,
): void {
  const { kind, name, names, members } = findTarget(target, registries)
  const what = `${kind} '${name}'`
  if (members === undefined) {
    const message = `${origin}: it completes ${what}, which is not served. ${adviceOn(name, names)}`
    diagnostics.add('unknown-completion-target', message)
  } else if (!members.includes(target.argument)) {
    const has = members.length === 0 ? 'no arguments' : `only ${members.join(', ')}`
    const advice = adviceOn(target.argument, members)
    const message = `${origin}: it completes '${target.argument}', but ${what} has ${has}. ${advice}`
    diagnostics.add('unknown-completion-target', message)
  }
}

function adviceOn(name: string, known: Iterable<string>): string {
  const names = [...known]
  const snake = toSnakeCase(name)
  // Developers often write the name of the prompt's method, without the prefix of its controller.
  const meant = nearestName(snake, names) ?? names.find((one) => one.endsWith(snake)) ?? nearestName(name, names)
  return meant === undefined ? 'Correct the name.' : `Did you mean '${meant}'?`
}

interface FoundTarget {
  readonly kind: string
  readonly name: string
  readonly names: Iterable<string>
  readonly members: readonly string[] | undefined
}

function findTarget(target: CompletionTarget, { prompts, resourceTemplates }: FeatureRegistries): FoundTarget {
  if ('prompt' in target) {
    const { prompt: name } = target
    const input = prompts.get(name)?.input
    const members = input && [...collectMembers(input.wire).properties.keys()]
    return { kind: 'prompt', name, names: prompts.keys(), members }
  }
  const { resource: name } = target
  const members = resourceTemplates.get(name)?.template.variables
  return { kind: 'resource template', name, names: resourceTemplates.keys(), members }
}
