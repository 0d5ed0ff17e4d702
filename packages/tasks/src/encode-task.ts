import type { Task } from './task.js'

const pollIntervalMs = 1000

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

export function encodeDetailedTask(task: Task): string {
  const members = encodeTask(task)
  const { status, inputRequests = {}, result = 'null', error } = task
  if (status === 'input_required') return `${members},"inputRequests":${JSON.stringify(inputRequests)}`
  // The result is already JSON, and is inserted without changes.
  if (status === 'completed') return `${members},"result":${result}`
  return status === 'failed' ? `${members},"error":${JSON.stringify(error)}` : members
}
