import { InProcessTaskBus } from '../protocol/extensions/tasks/task-bus.js'
import { InMemoryTaskStore, type TaskStore } from '../protocol/extensions/tasks/task-store.js'
import { Tasks } from '../protocol/extensions/tasks/tasks.js'
import { createTasksExtension } from '../protocol/extensions/tasks/tasks-extension.js'
import type { ServerPart } from './server-part.js'

/** Serves tasks: calls of tools that continue after the response. */
export const tasksPart: ServerPart = {
  options: {},
  create: ({ tasks: given, limits }, { log, connectStore, connectBus, quotaKeyOf }) => {
    const store: TaskStore = given.store ?? new InMemoryTaskStore(limits)
    const bus = given.bus ?? new InProcessTaskBus()
    const tasks = new Tasks({
      store: connectStore(store, {
        name: 'the task store',
        rejection: 'Tasks are temporarily unavailable',
        methods: ['create', 'get', 'update', 'beat', 'isAlive'],
        inMemory: InMemoryTaskStore,
      }),
      bus: connectBus(bus, ({ taskId }) => ({ taskId })),
      ttlMs: limits.taskTtlMs,
      nodeTimeoutMs: limits.nodeTimeoutMs,
      log,
      quotaKeyOf,
    })
    return createTasksExtension({ tasks, store, maxTasks: limits.maxTasks })
  },
}
