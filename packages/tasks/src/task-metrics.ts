import { InMemoryTaskStore, type TaskStore } from './task-store.js'
import type { Tasks } from './tasks.js'

export interface CountedTasks {
  readonly tasks: Tasks
  readonly store: TaskStore
  readonly maxTasks: number
}

export type TaskMetrics = {
  readonly [Name in keyof typeof taskMetrics]: ReturnType<(typeof taskMetrics)[Name]['read']>
}

export const taskMetrics = {
  runningTasks: {
    name: 'tasks_running',
    help: 'Tasks whose handlers run in this process',
    read: ({ tasks, maxTasks }: CountedTasks) => ({ value: tasks.running, max: maxTasks }),
  },
  keptTasks: {
    name: 'tasks_stored',
    help: 'Stored tasks, running and ended',
    read: ({ store }: CountedTasks) =>
      store instanceof InMemoryTaskStore ? { value: store.size, max: store.limits.maxTasks } : null,
  },
  storedTaskBytes: {
    name: 'stored_task_bytes',
    help: 'Bytes of the results and answers of tasks',
    read: ({ store }: CountedTasks) =>
      store instanceof InMemoryTaskStore ? { value: store.bytes, max: store.limits.maxTaskBytes } : null,
  },
  rejectedTasks: {
    name: 'tasks_rejected_total',
    help: 'Tasks and results of tasks rejected by a limit of the server or of their caller',
    read: ({ tasks }: CountedTasks) => tasks.rejected,
  },
  lostTasks: {
    name: 'tasks_lost_total',
    help: 'Tasks of other processes that failed because their process has died',
    read: ({ tasks }: CountedTasks) => tasks.lost,
  },
}

export function metricsOf(counted: CountedTasks) {
  const rows = Object.entries(taskMetrics)
  return Object.fromEntries(rows.map(([key, { read, ...row }]) => [key, { ...row, read: () => read(counted) }]))
}
