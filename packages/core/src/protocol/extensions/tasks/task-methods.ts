import { readObject, readString } from '../../../call/steps.js'
import { principalKey } from '../../../context/principal.js'
import { tryLog } from '../../../errors/log-failure.js'
import { ProtocolError } from '../../../errors/protocol-error.js'
import { type Task, withAnswers, withEnd } from '../../../tasks/task.js'
import { TaskStoreFull } from '../../../tasks/task-store.js'
import type { Tasks } from '../../../tasks/tasks.js'
import { answering, type Methods } from '../../era.js'
import type { CompleteResult } from '../../methods/result-writer.js'
import { whenUsed } from '../../methods/when-used.js'
import type { RequestCall } from '../../request-call.js'
import type { ExtensionUse } from '../extension-use.js'
import { encodeDetailedTask } from './encode-task.js'
import { requireTasks } from './tasks-extension.js'

/** `tasks/get`, `tasks/update` and `tasks/cancel`. */
export function createTaskMethods(tasks: Tasks, use: ExtensionUse, completeResult: CompleteResult): Methods {
  const get = answering(async (call) => completeResult(encodeDetailedTask(await findTask(tasks, call)), null))
  const update = answering(async (call) => {
    const { taskId } = await findTask(tasks, call)
    const responses = readObject(call.request.params, 'inputResponses')
    try {
      await tasks.change(taskId, (task) => withAnswers(task, responses))
    } catch (error) {
      throw error instanceof TaskStoreFull ? quotaExceeded(error, call) : error
    }
    return completeResult('', null)
  })
  const cancel = answering(async (call) => {
    const { taskId } = await findTask(tasks, call)
    // A task that is over stays as it is, and the client hears that all is well.
    await tasks.change(taskId, (task) => withEnd(task, { status: 'cancelled', statusMessage: 'Cancelled.' }))
    return completeResult('', null)
  })
  return whenUsed([use], { 'tasks/get': get, 'tasks/update': update, 'tasks/cancel': cancel })
}

/** Who cannot take tasks is told so first: it would not know what to do with any other answer. */
async function findTask(tasks: Tasks, { request, context }: RequestCall): Promise<Task> {
  requireTasks(context.clientCapabilities)
  const task = await tasks.find(readString(request.params, 'taskId'), principalKey(context.principal))
  if (task !== undefined) return task
  throw new ProtocolError('invalidParams', 'Unknown task: it has expired, or never was')
}

/** The client's answers are lost, and the task goes on waiting for them. */
function quotaExceeded(error: TaskStoreFull, { context }: RequestCall): ProtocolError {
  tryLog(() => context.log.warn({ err: error }, 'the answers to a task could not be kept'))
  return new ProtocolError('internalError', 'The server has no room for the answers. Try again later')
}
