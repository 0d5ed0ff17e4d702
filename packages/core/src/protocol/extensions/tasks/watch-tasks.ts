import { allowAnyListeners } from '../../../context/cancellation.js'
import { principalKey } from '../../../context/principal.js'
import { logFailure } from '../../../errors/log-failure.js'
import { ProtocolError } from '../../../errors/protocol-error.js'
import { isListOfTexts, type JsonObject } from '../../../rpc/messages.js'
import type { Task } from '../../../tasks/task.js'
import type { Tasks } from '../../../tasks/tasks.js'
import { retry } from '../../../timing/retry.js'
import type { RequestCall } from '../../request-call.js'
import { encodeDetailedTask } from './encode-task.js'
import { requireTasks } from './tasks-extension.js'

/** More tasks than anybody waits for at once. */
const maxWatchedTasks = 100

/**
 * Reads which tasks a subscription wants to hear of.
 *
 * @returns Those that there are and that are the caller's.
 * @throws ProtocolError -32021, -32602
 */
export async function readTaskIds(asked: unknown, { context }: RequestCall, tasks: Tasks): Promise<readonly string[]> {
  requireTasks(context.clientCapabilities)
  if (!isListOfTexts(asked) || asked.length > maxWatchedTasks) {
    const message = `Invalid params: "taskIds" must be a list of at most ${maxWatchedTasks} ids`
    throw new ProtocolError('invalidParams', message)
  }
  const owner = principalKey(context.principal)
  const found = await Promise.all([...new Set(asked)].map((id) => tasks.find(id, owner)))
  return found.filter((task) => task !== undefined).map(({ taskId }) => taskId)
}

/**
 * Sends each change of some tasks, and first how they stand: a task may have ended before anybody listened. So it does
 * where changes may have been missed.
 *
 * @returns Ends it.
 */
export function watchTasks(
  taskIds: readonly string[],
  { context }: RequestCall,
  tasks: Tasks,
  send: (params: string) => void,
): () => void {
  if (taskIds.length === 0) return () => undefined
  /** The tasks that are being read, each with the number of its latest read. */
  const unheardOf = new Map<string, number>()
  let reads = 0
  const watched = new Set(taskIds)
  const stopping = new AbortController()
  // Each read that is to be tried again waits with it.
  allowAnyListeners(stopping.signal)
  const tell = (task: Task): void => {
    unheardOf.delete(task.taskId)
    if (!stopping.signal.aborted) send(encodeDetailedTask(task))
  }
  const tellHowItStands = async (taskId: string): Promise<void> => {
    const read = ++reads
    unheardOf.set(taskId, read)
    const task = await retry(() => tasks.find(taskId, principalKey(context.principal)), stopping.signal)
    // What came over the bus meanwhile is newer, and so is what was read after another gap.
    if (task !== undefined && unheardOf.get(taskId) === read) tell(task)
  }
  const onFailure = (error: unknown): void => {
    if (!stopping.signal.aborted) logFailure(context.log, error, {}, 'a task could not be read')
  }
  const tellHowAllStand = (): void => {
    for (const taskId of watched) {
      tellHowItStands(taskId).catch(onFailure)
    }
  }
  const onChange = (task: Task): void => (watched.has(task.taskId) ? tell(task) : undefined)
  const unsubscribe = tasks.bus.subscribe(onChange, tellHowAllStand)
  tellHowAllStand()
  return () => {
    stopping.abort()
    unsubscribe()
  }
}

/** @param members Of the task, as JSON text without the braces. */
export function taskNotification(members: string, meta: JsonObject): string {
  return `{"jsonrpc":"2.0","method":"notifications/tasks","params":{${members},"_meta":${JSON.stringify(meta)}}}`
}
