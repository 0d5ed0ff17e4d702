import type { FeatureMethod } from '../../call/call.js'
import type { ToolPlan } from '../../plan/tool-plan.js'
import { declaredSettings, requireExtension } from '../client-requests/client-capabilities.js'
import { DetachableCall } from '../detached-call.js'
import type { CompleteResult } from '../methods/result-writer.js'
import type { RequestCall } from '../request-call.js'
import type { PartExtension } from './extension.js'

type StartTask = NonNullable<FeatureMethod['startTask']>

/**
 * Creates the step that turns calls of tools into tasks. @param completeTask Completes the result of a call that became a task.
 */
export function createStartTask(
  { id, startTask }: Pick<Required<PartExtension>, 'id' | 'startTask'>,
  completeTask: CompleteResult,
): StartTask {
  return (started, rest) => {
    const call = started as RequestCall
    const { clientCapabilities } = call.context
    if ((call.plan as ToolPlan).task === 'required') requireExtension(clientCapabilities, id)
    if (declaredSettings(clientCapabilities, id) === null) {
      rest(call)
      return
    }
    startTask(new DetachableCall(call, rest)).then(
      (response) =>
        response === null
          ? call.resume(rest)
          : call.respond('task' in response ? completeTask(response.task, null) : response.result),
      (error: unknown) => call.fail(error),
    )
  }
}
