import type { PartExtension } from '../extension.js'
import { startTask } from './start-task.js'
import { createTaskMethods } from './task-methods.js'
import { type CountedTasks, metricsOf } from './task-metrics.js'
import { readTaskIds, watchTasks } from './watch-tasks.js'

export function createTasksExtension(counted: CountedTasks): PartExtension {
  const { tasks } = counted
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
    metrics: metricsOf(counted),
    close: () => tasks.close(),
  }
}
