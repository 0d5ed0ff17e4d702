import type { McpContext } from '../../../context/mcp-context.js'
import { StoreFull } from '../../../errors/limit-error.js'
import { tryLog } from '../../../errors/log-failure.js'
import { ProtocolError } from '../../../errors/protocol-error.js'
import type { EncodedMethods } from '../extension.js'
import { encodeDetailedTask } from './encode-task.js'
import { type Task, withAnswers, withEnd } from './task.js'
import type { Tasks } from './tasks.js'

export function createTaskMethods(tasks: Tasks): EncodedMethods {
  return {
    'tasks/get': async ({ taskId }, context) => encodeDetailedTask(await findTask(tasks, taskId, context)),
    'tasks/update': async ({ taskId: id, inputResponses: responses }, context) => {
      const { taskId } = await findTask(tasks, id, context)
      if (!isObject(responses)) throw invalid('inputResponses', 'an object')
      try {
        await tasks.change(taskId, (task) => withAnswers(task, responses))
      } catch (error) {
        throw error instanceof StoreFull ? quotaExceeded(error, context) : error
      }
      return ''
    },
    'tasks/cancel': async ({ taskId: id }, context) => {
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

function isObject(value: unknown): value is Record<string, unknown> {
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
