import type { Problems } from '../../errors/problems.js'
import type { CompletionTarget } from '../../metadata/types.js'
import { collectMembers } from '../../schema/members.js'
import type { CompletionDefinition, Runnable } from '../definitions.js'
import type { Shelves } from '../shelves.js'

/** What the compiler makes sure of, where there is one. */
export function isCompletionTarget(value: unknown): value is CompletionTarget {
  return typeof value === 'object' && value !== null && ('prompt' in value || 'resource' in value)
}

/** What is completed, as one string: a prompt's argument or a template's variable has one completer. */
export function completionKey(target: CompletionTarget): string {
  const of = 'prompt' in target ? `prompt ${target.prompt}` : `resource ${target.resource}`
  return `${of}: ${target.argument}`
}

export function defineCompletion(
  target: CompletionTarget,
  { source, origin, rule, hooks }: Pick<Runnable, 'source' | 'origin' | 'rule' | 'hooks'>,
): CompletionDefinition {
  return Object.freeze({ target, source, origin, rule, hooks, model: null })
}

/** A completion for something that is not served would never be asked for. Checked when all features are defined. */
export function checkCompletionTargets(shelves: Shelves, problems: Problems): void {
  for (const completion of shelves.completions.all) checkCompletionTarget(completion, shelves, problems)
}

export function checkCompletionTarget(
  { target, origin }: CompletionDefinition,
  shelves: Shelves,
  problems: Problems,
): void {
  const [what, known] = describeTarget(target, shelves)
  if (known === undefined) {
    problems.add('unknown-completion-target', `${origin}: it completes ${what}, which is not served. Correct the name.`)
  } else if (!known.includes(target.argument)) {
    const has = known.length === 0 ? 'none' : known.join(', ')
    const message = `${origin}: it completes '${target.argument}' of ${what}, which has ${has}. Correct the name.`
    problems.add('unknown-completion-target', message)
  }
}

/** The target as messages name it, and its arguments when it is served. */
function describeTarget(
  target: CompletionTarget,
  shelves: Shelves,
): [what: string, known: readonly string[] | undefined] {
  if ('prompt' in target) {
    const prompt = shelves.prompts.get(target.prompt)
    return [`prompt '${target.prompt}'`, prompt && [...collectMembers(prompt.input.wire).properties.keys()]]
  }
  const template = shelves.resourceTemplates.get(target.resource)?.template
  return [`resource template '${target.resource}'`, template?.variables]
}
