import { type Bus, InProcessBus } from '../../../bus.js'
import type { Task } from './task.js'

/**
 * Carries each change of a task to the process that runs its handler, and to the clients that listen. With a bus between
 * processes, the clients can be connected to other processes. Errors of `publish` are logged: the change of the task is
 * still stored.
 */
export interface TaskBus extends Bus<Task> {}

/** The default bus, which only works within this process. */
export class InProcessTaskBus extends InProcessBus<Task> implements TaskBus {}
