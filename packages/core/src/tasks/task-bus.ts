import { type Bus, InProcessBus } from '../bus.js'
import type { Task } from './task.js'

/**
 * Carries each change of a task to whoever runs its handler and to the clients that listen. One that spans processes
 * lets them be in different ones. What `publish` throws or rejects with is logged: the task is changed all the same.
 */
export interface TaskBus extends Bus<Task> {}

/** The embedded default: within this process. */
export class InProcessTaskBus extends InProcessBus<Task> implements TaskBus {}
