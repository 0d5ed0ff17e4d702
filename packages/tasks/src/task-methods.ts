import { type McpContext, ProtocolError } from '@toolwright/core'
import { tryLog } from '@toolwright/core/host'
import { StoreFull } from '@toolwright/core/store'
import { encodeDetailedTask } from './encode-task.js'
import { type Task, withAnswers, withEnd } from './task.js'
import type { Tasks } from './tasks.js'

type Params = Readonly<Record<string, unknown>>

export function createTaskMethods(tasks: Tasks) {
  return {
    'tasks/get': async ({ taskId }: Params, context: McpContext) =>
      encodeDetailedTask(await findTask(tasks, taskId, context)),
    'tasks/update': async ({ taskId: id, inputResponses: responses }: Params, context: McpContext) => {
      const { taskId } = await findTask(tasks, id, context)
      if (!isObject(responses)) throw invalid('inputResponses', 'an object')
      try {
        await tasks.change(taskId, (task) => withAnswers(task, responses))
      } catch (error) {
        throw error instanceof StoreFull ? quotaExceeded(error, context) : error
      }
      return ''
    },
    'tasks/cancel': async ({ taskId: id }: Params, context: McpContext) => {
      const { taskId } = await findTask(tasks, id, context)
      // A task that has already ended stays unchanged, and the client still gets a success result.
      await tasks.change(taskId, (task) => withEnd(task, { status: 'cancelled', statusMessage: 'Cancelled.' }))
      return ''
    },
  }
}

async function findTask(tasks: Tasks, taskId: unknown, { principal }: McpContext): Promise<Task> {
  if (typeof taskId !== 'string') throw invalid('taskId', 'a string')
  const task = await tasks.find(taskId, principal)
  if (task !== undefined) return task
  throw new ProtocolError('invalidParams', 'Unknown task: it has expired, or never existed')
}

function isObject(value: unknown): value is Params {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function invalid(member: string, expected: string): ProtocolError {
  return new ProtocolError('invalidParams', `Invalid params: "${member}" must be ${expected}`)
}

/** Returns the error for answers that exceed a limit of the store. These answers are dropped, and the task keeps waiting. */
function quotaExceeded(error: StoreFull, { log }: McpContext): ProtocolError {
  tryLog(() => log.warn({ err: error }, 'the answers to a task could not be stored'))
  return new ProtocolError('internalError', 'The server cannot store the answers. Try again later')
}
