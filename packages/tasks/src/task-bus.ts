import { type Bus, InProcessBus } from '@toolwright/core/store'
import type { Task } from './task.js'

/**
 * Carries each change of a task to the process that runs the handler, and to the subscribed clients. With a bus between
 * processes, these clients can be connected to any process. Errors of `publish` are logged, and do not affect the stored task.
 */
export interface TaskBus extends Bus<Task> {}

/** The default bus, which only works within this process. */
export class InProcessTaskBus extends InProcessBus<Task> implements TaskBus {}
