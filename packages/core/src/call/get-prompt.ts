import type { PromptResult } from '../content.js'
import { InvalidArguments } from '../errors/call-errors.js'
import { ProtocolError } from '../errors/protocol-error.js'
import type { PromptPlan } from '../plan/prompt-plan.js'
import { type JsonObject, withoutNulls } from '../rpc/messages.js'
import { fromTexts } from '../schema/compiled-schema.js'
import { describeErrors } from '../schema/describe-errors.js'
import { mayUse, policiesAllow, visibleKeys } from './check-access.js'
import { observeRefusal } from './hook-run.js'
import { refuseUse } from './observe-forbidden.js'
import { readArguments, readString } from './read-params.js'
import { runFeature } from './run-feature.js'
import type { RunningCall } from './running-call.js'
import { unknownFeature } from './unknown-feature.js'

/** Runs one `prompts/get`. @throws ProtocolError, CallCancelled */
export async function getPrompt(
  prompts: ReadonlyMap<string, PromptPlan>,
  params: JsonObject,
  call: RunningCall,
): Promise<PromptResult> {
  const name = readString(params, 'name')
  const plan = prompts.get(name)
  const { principal } = call.context
  const unknown = (): ProtocolError => unknownFeature('prompt', name, visibleKeys(prompts, principal))
  if (plan === undefined || !mayUse(plan, principal)) {
    throw refuseUse(plan, params['arguments'], call) ?? unknown()
  }
  const args = prepareArguments(plan, withoutNulls(readArguments(params)), call)
  if (plan.guard !== null && !(await policiesAllow(plan, { kind: 'prompt', name }, args, call))) {
    throw refuseUse(plan, args, call) ?? unknown()
  }
  return runFeature(`Prompt '${name}'`, plan, args, call, plan.encode)
}

function prepareArguments({ name, input, hooks }: PromptPlan, given: JsonObject, call: RunningCall): unknown {
  const args = fromTexts(input, given)
  if (input.check(args)) return args
  const errors = describeErrors(input.errors(args), args, 'the arguments')
  const detail = `Invalid arguments for prompt '${name}': ${errors}.`
  if (hooks !== null) observeRefusal(hooks, args, call, new InvalidArguments(detail))
  throw new ProtocolError('invalidParams', 'Invalid params', { detail })
}
