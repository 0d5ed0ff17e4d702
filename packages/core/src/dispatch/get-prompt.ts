import type { PromptResult } from '../content.js'
import { ProtocolError } from '../errors/protocol-error.js'
import type { PromptPlan } from '../plan/prompt-plan.js'
import type { JsonObject } from '../rpc/messages.js'
import { describeFaults } from '../schema/describe-faults.js'
import { mayUse, policiesAllow, policyRefusalOf, refusalOf, visibleKeys } from './check-access.js'
import { readArguments, readString } from './read-params.js'
import { type HandlerCall, runHandler } from './run-handler.js'
import { unknownFeature } from './unknown-feature.js'

/** Runs one `prompts/get`. @throws ProtocolError, CallCancelled */
export async function getPrompt(
  prompts: ReadonlyMap<string, PromptPlan>,
  params: JsonObject,
  call: HandlerCall,
): Promise<PromptResult> {
  const name = readString(params, 'name')
  const plan = prompts.get(name)
  const { principal } = call.context
  const unknown = (): ProtocolError => unknownFeature('prompt', name, visibleKeys(prompts, principal))
  if (plan === undefined || !mayUse(plan, principal)) throw refusalOf(plan, principal) ?? unknown()
  const args = prepareArguments(plan, readArguments(params))
  if (plan.guard !== null && !(await policiesAllow(plan, { kind: 'prompt', name }, args, call))) {
    throw policyRefusalOf(plan) ?? unknown()
  }
  return runHandler(`Prompt '${name}'`, plan, args, call, plan.encode)
}

function prepareArguments({ name, input }: PromptPlan, given: JsonObject): unknown {
  const converted = input.convert === null ? given : input.convert(given)
  const args = input.applyDefaults === null ? converted : input.applyDefaults(converted)
  if (input.check(args)) return args
  const faults = describeFaults(input.faults(args), args, 'the arguments')
  throw new ProtocolError('invalidParams', 'Invalid params', {
    detail: `Invalid arguments for prompt '${name}': ${faults}.`,
  })
}
