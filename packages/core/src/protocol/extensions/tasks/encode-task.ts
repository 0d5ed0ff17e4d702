import type { Task } from '../../../tasks/task.js'

/** Milliseconds between two looks at a task, as clients are advised. */
const pollIntervalMs = 1000

/** A task as `tools/call` answers it: the members as JSON text, without the braces. */
export function encodeTask({ taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs }: Task): string {
  const members = {
    taskId,
    status,
    statusMessage,
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(lastUpdatedAt).toISOString(),
    ttlMs,
    pollIntervalMs,
  }
  return JSON.stringify(members).slice(1, -1)
}

/** The same with what there is to answer, or what came of it. */
export function encodeDetailedTask(task: Task): string {
  const members = encodeTask(task)
  const { status, inputRequests = {}, result = 'null', error } = task
  if (status === 'input_required') return `${members},"inputRequests":${JSON.stringify(inputRequests)}`
  // Serialised when the handler ended; only its text is put in here.
  if (status === 'completed') return `${members},"result":${result}`
  return status === 'failed' ? `${members},"error":${JSON.stringify(error)}` : members
}
