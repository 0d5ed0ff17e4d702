import type { ServerPart } from '@toolwright/core/extension'
import { nested, withMethods } from '@toolwright/core/options'
import { startTask } from './start-task.js'
import { InProcessTaskBus, type TaskBus } from './task-bus.js'
import { createTaskMethods } from './task-methods.js'
import { metricsOf, type TaskMetrics } from './task-metrics.js'
import { InMemoryTaskStore, type TaskStore } from './task-store.js'
import { Tasks } from './tasks.js'
import { readTaskIds, watchTasks } from './watch-tasks.js'

declare module '@toolwright/core' {
  interface ServerMetrics extends TaskMetrics {}
}

const storeAndBus = {
  /** Stores tasks. Default: the memory of this process, within `limits`. */
  store: withMethods<TaskStore>('`TaskStore`', ['create', 'get', 'update']),
  /** Carries changes of tasks between nodes. Default: only within this process. */
  bus: withMethods<TaskBus>('`TaskBus`', ['publish', 'subscribe']),
}

export const taskOptions = {
  /**
   * Store and bus for tasks. Default: `InMemoryTaskStore`, `InProcessTaskBus`.
   * @see docs/how-to/run-long-work-as-a-task.md#share-them-between-processes
   */
  tasks: nested(storeAndBus),
}

/** Runs calls of tools with `task` as tasks: the handler continues after the response. */
export const tasksPart: ServerPart<typeof taskOptions> = {
  options: taskOptions,
  create: ({ tasks: given, limits }, server) => {
    const store: TaskStore = given.store ?? new InMemoryTaskStore(limits)
    const tasks = new Tasks({
      store: server.connectStore(store, {
        name: 'the task store',
        rejection: 'Tasks are temporarily unavailable',
        methods: ['create', 'get', 'update', 'beat', 'isAlive'],
        inMemory: InMemoryTaskStore,
      }),
      bus: server.connectBus(given.bus ?? new InProcessTaskBus(), ({ taskId }) => ({ taskId })),
      ttlMs: limits.taskTtlMs,
      nodeTimeoutMs: limits.nodeTimeoutMs,
      log: server.log,
      ownerKeyOf: server.ownerKeyOf,
      quotaKeyOf: server.quotaKeyOf,
    })
    return {
      id: 'io.modelcontextprotocol/tasks',
      era: 'modern',
      usedBy: { tools: ({ task }) => task !== null },
      open: () => tasks.open(),
      encodedMethods: createTaskMethods(tasks),
      startTask: (call) => startTask(call, tasks),
      subscribedMember: {
        name: 'taskIds',
        read: async (asked, context) => {
          const taskIds = await readTaskIds(asked, context, tasks)
          if (taskIds.length === 0) return null
          return {
            filter: { taskIds },
            methods: [],
            watch: (send) => watchTasks(taskIds, context, tasks, (members) => send('notifications/tasks', members)),
          }
        },
      },
      metrics: metricsOf({ tasks, store, maxTasks: limits.maxTasks }),
      close: () => tasks.close(),
    }
  },
}
