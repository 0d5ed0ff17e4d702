import { setMaxListeners } from 'node:events'
import { type McpContext, ProtocolError } from '@toolwright/core'
import { logFailure } from '@toolwright/core/host'
import { retry } from '@toolwright/core/store'
import { encodeDetailedTask } from './encode-task.js'
import { isOver, type Task } from './task.js'
import type { Tasks } from './tasks.js'

const maxWatchedTasks = 100

/**
 * Reads the task ids of a subscription.
 *
 * @returns The ids of existing tasks that belong to the caller.
 * @throws ProtocolError -32602
 */
export async function readTaskIds(asked: unknown, { principal }: McpContext, tasks: Tasks): Promise<readonly string[]> {
  if (!isListOfIds(asked)) {
    const message = `Invalid params: "taskIds" must be a list of at most ${maxWatchedTasks} ids`
    throw new ProtocolError('invalidParams', message)
  }
  const found = await Promise.all([...new Set(asked)].map((id) => tasks.find(id, principal)))
  return found.filter((task) => task !== undefined).map(({ taskId }) => taskId)
}

function isListOfIds(asked: unknown): asked is readonly string[] {
  return Array.isArray(asked) && asked.length <= maxWatchedTasks && asked.every((id) => typeof id === 'string')
}

/**
 * Sends the current state of some tasks, and then each change. The state is needed because a task can end before the subscription
 * begins. Sends the state again if the bus could have missed changes.
 *
 * @returns A function that stops the notifications.
 */
export function watchTasks(
  taskIds: readonly string[],
  { principal, log }: McpContext,
  tasks: Tasks,
  send: (params: string) => void,
): () => void {
  const reading = new Map<string, number>()
  let reads = 0
  const watched = new Set(taskIds)
  const running = new Map<string, Task>()
  const stopping = new AbortController()
  // The signal has many listeners: one for each pending retry.
  setMaxListeners(0, stopping.signal)
  const notify = (task: Task): void => {
    reading.delete(task.taskId)
    if (isOver(task)) running.delete(task.taskId)
    else running.set(task.taskId, task)
    if (!stopping.signal.aborted) send(encodeDetailedTask(task))
  }
  const notifyState = async (taskId: string): Promise<void> => {
    const read = ++reads
    reading.set(taskId, read)
    const task = await retry(() => tasks.find(taskId, principal), stopping.signal)
    // Skip an outdated read: a change from the bus, or a later read, is newer.
    if (task !== undefined && reading.get(taskId) === read) notify(task)
  }
  const onFailure = (error: unknown): void => {
    if (!stopping.signal.aborted) logFailure(log, error, {}, 'a task could not be read')
  }
  const notifyStates = (): void => {
    for (const taskId of watched) notifyState(taskId).catch(onFailure)
  }
  const sweep = (): void => {
    for (const [taskId, task] of running) {
      tasks
        .isLost(task)
        .then((isLost) => (isLost ? notifyState(taskId) : undefined))
        .catch(onFailure)
    }
  }
  const onChange = (task: Task): void => (watched.has(task.taskId) ? notify(task) : undefined)
  const stops = [tasks.bus.subscribe(onChange, notifyStates), tasks.onSweep(sweep)]
  notifyStates()
  return () => {
    stopping.abort()
    for (const stop of stops) stop()
  }
}
