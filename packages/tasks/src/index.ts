// Tasks of a server. Packages that store tasks use the same exports.

export { callerOfTask, isOver, type Task, type TaskError, type TaskStatus } from './task.js'
export { InProcessTaskBus, type TaskBus } from './task-bus.js'
export { bytesOfTask, InMemoryTaskStore, type TaskStore, TaskStoreFull, type TaskStoreLimits } from './task-store.js'
export { taskOptions, tasksPart } from './tasks-part.js'
