import type { BuiltInExtension } from '../extension.js'
import { WatchedUse } from '../extension-use.js'
import { tasksExtension } from './require-tasks.js'
import { createTaskMethods } from './task-methods.js'

/** Tasks: calls that return an id at once, and continue. Declared once a tool can be a task. */
export const tasks: BuiltInExtension = {
  id: tasksExtension,
  era: 'modern',
  use: ({ tools }) => new WatchedUse(tools, ({ task }) => task !== null),
  createMethods: ({ dependencies, completeResult }) => createTaskMethods(dependencies.tasks, completeResult),
}
