import { InMemoryTaskStore, type TaskStore } from './task-store.js'
import type { Tasks } from './tasks.js'

export interface CountedTasks {
  readonly tasks: Tasks
  readonly store: TaskStore
  readonly maxTasks: number
}

export type TaskMetrics = {
  readonly [Name in keyof ReturnType<typeof metricsOf>]: ReturnType<ReturnType<typeof metricsOf>[Name]['read']>
}

export function metricsOf({ tasks, store, maxTasks }: CountedTasks) {
  const inMemory = store instanceof InMemoryTaskStore ? store : null
  return {
    runningTasks: {
      name: 'tasks_running',
      help: 'Tasks whose handlers run in this process',
      read: () => ({ value: tasks.running, max: maxTasks }),
    },
    keptTasks: {
      name: 'tasks_stored',
      help: 'Stored tasks, running and ended',
      read: () => inMemory && { value: inMemory.size, max: inMemory.limits.maxTasks },
    },
    storedTaskBytes: {
      name: 'stored_task_bytes',
      help: 'Bytes of the results and answers of tasks',
      read: () => inMemory && { value: inMemory.bytes, max: inMemory.limits.maxTaskBytes },
    },
    rejectedTasks: {
      name: 'tasks_rejected_total',
      help: 'Tasks and results of tasks rejected by a limit of the server or of their caller',
      read: () => tasks.rejected,
    },
    lostTasks: {
      name: 'tasks_lost_total',
      help: 'Tasks of other processes that failed because their process has died',
      read: () => tasks.lost,
    },
  }
}
