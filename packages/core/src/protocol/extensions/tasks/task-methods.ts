import { readObject, readString } from '../../../call/steps.js'
import { principalKey } from '../../../context/principal.js'
import { TaskStoreFull } from '../../../errors/limit-error.js'
import { tryLog } from '../../../errors/log-failure.js'
import { ProtocolError } from '../../../errors/protocol-error.js'
import { requireExtension } from '../../client-capabilities.js'
import { answeringLater, type Methods } from '../../era.js'
import type { CompleteResult } from '../../methods/result-writer.js'
import type { RequestCall } from '../../request-call.js'
import { encodeDetailedTask } from './encode-task.js'
import { type Task, tasksId, withAnswers, withEnd } from './task.js'
import type { Tasks } from './tasks.js'

export function createTaskMethods(tasks: Tasks, completeResult: CompleteResult): Methods {
  const get = answeringLater(async (call) => completeResult(encodeDetailedTask(await findTask(tasks, call)), null))
  const update = answeringLater(async (call) => {
    const { taskId } = await findTask(tasks, call)
    const responses = readObject(call.request.params, 'inputResponses')
    try {
      await tasks.change(taskId, (task) => withAnswers(task, responses))
    } catch (error) {
      throw error instanceof TaskStoreFull ? quotaExceeded(error, call) : error
    }
    return completeResult('', null)
  })
  const cancel = answeringLater(async (call) => {
    const { taskId } = await findTask(tasks, call)
    // A task that has already ended stays unchanged, and the client still gets a success result.
    await tasks.change(taskId, (task) => withEnd(task, { status: 'cancelled', statusMessage: 'Cancelled.' }))
    return completeResult('', null)
  })
  return { 'tasks/get': get, 'tasks/update': update, 'tasks/cancel': cancel }
}

async function findTask(tasks: Tasks, { request, context }: RequestCall): Promise<Task> {
  requireExtension(context.clientCapabilities, tasksId)
  const task = await tasks.find(readString(request.params, 'taskId'), principalKey(context.principal))
  if (task !== undefined) return task
  throw new ProtocolError('invalidParams', 'Unknown task: it has expired, or never existed')
}

/** Returns the error for answers that exceed a limit of the store. These answers are dropped, and the task keeps waiting. */
function quotaExceeded(error: TaskStoreFull, { context }: RequestCall): ProtocolError {
  tryLog(() => context.log.warn({ err: error }, 'the answers to a task could not be stored'))
  return new ProtocolError('internalError', 'The server cannot store the answers. Try again later')
}
