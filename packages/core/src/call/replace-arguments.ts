import { describeErrors, type Parsed, parseValue } from '@toolwright/schema'
import { whyRejected } from '../authorization/access-rule.js'
import { noArguments } from '../catalog/define/schema-option.js'
import type { CalledFeature, FeatureKind } from '../hooks/feature-call.js'
import { hideReason } from '../hooks/hidden-rejections.js'
import { isPromiseLike } from '../timing/with-timeout.js'
import type { Call, CallPlan } from './call.js'
import { policiesAllow } from './check-access.js'
import { rejectUse } from './observe-forbidden.js'
import { unknownFeature } from './unknown-feature.js'

/**
 * Copies arguments that an `around` hook passed to `next`, and adds defaults. If the hook changes the passed object later, the
 * copy stays the same. The passed arguments are those that a client could send: if the schema transforms arguments, the copy is
 * parsed.
 *
 * @returns A promise only if the schema is asynchronous.
 * @throws Error if arguments of the feature cannot be replaced, or if the arguments do not match the schema.
 */
export function copyReplaced(
  { label, input }: Pick<CallPlan, 'label' | 'input'>,
  { kind }: CalledFeature,
  given: unknown,
): unknown {
  const reason = input === noArguments ? 'it has no input' : fixed[kind]
  if (reason !== undefined || input === null) {
    throw new Error(
      `next was called with arguments, but ${label} does not accept replaced arguments: ${reason}. Call next()`,
    )
  }
  const json = JSON.stringify(given) as string | undefined
  const copy: unknown = json === undefined ? given : JSON.parse(json)
  const parsed = parseValue(input, copy)
  const take = (outcome: Parsed): unknown => takeParsed(outcome, copy, label)
  return isPromiseLike(parsed) ? parsed.then(take) : take(parsed)
}

function takeParsed(parsed: Parsed, args: unknown, label: string): unknown {
  if (parsed.errors === undefined) return parsed.value
  const described = describeErrors(parsed.errors, args, 'the arguments')
  throw new Error(`next was called with invalid arguments for ${label}: ${described}`)
}

/**
 * Reasons why arguments cannot be replaced. Policies have checked the URI of a resource, so hooks cannot replace its variables.
 */
const fixed: Partial<Readonly<Record<FeatureKind, string>>> = {
  resource: 'its variables are part of the URI',
  completion: 'they are the input of the user',
}

export async function authorizeReplaced(
  { guard }: Pick<CallPlan, 'guard'>,
  { kind, name }: CalledFeature,
  args: unknown,
  call: Call,
): Promise<void> {
  if (guard === null || (await policiesAllow({ guard }, { kind, name }, args, call))) return
  // No hooks run here: the hooks of this call get the failure when the call ends.
  const rejection = rejectUse({ guard, hooks: null }, args, call)
  throw rejection ?? hideReason(unknownFeature(kind, name, []), whyRejected(guard.rule, call.context.principal))
}
