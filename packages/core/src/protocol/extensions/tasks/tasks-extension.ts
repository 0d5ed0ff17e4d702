import type { BuiltInExtension } from '../extension.js'
import { createStartTask } from './start-task.js'
import { tasksId } from './task.js'
import { createTaskMethods } from './task-methods.js'
import type { Tasks } from './tasks.js'
import { readTaskIds, watchTasks } from './watch-tasks.js'

export function createTasksExtension(tasks: Tasks): BuiltInExtension {
  return {
    id: tasksId,
    era: 'modern',
    usedBy: { tools: ({ task }) => task !== null },
    open: () => tasks.open(),
    createMethods: ({ completeResult }) => createTaskMethods(tasks, completeResult),
    createStartTask: ({ completeAs }) => createStartTask(tasks, completeAs('task')),
    subscribe: async ({ taskIds: asked }, call) => {
      const taskIds = asked === undefined || asked === null ? [] : await readTaskIds(asked, call, tasks)
      if (taskIds.length === 0) return null
      return {
        filter: { taskIds },
        methods: [],
        watch: (send) => watchTasks(taskIds, call, tasks, (members) => send('notifications/tasks', members)),
      }
    },
    close: () => tasks.close(),
  }
}
