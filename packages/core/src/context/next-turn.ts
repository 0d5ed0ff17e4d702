// Not the global one: tests put clocks of their own in its place, and take them away with what was waiting for them.
import { setImmediate } from 'node:timers'

/** Something to do for a call, if it is still running when the event loop turns. */
export interface TurnTask {
  onTurn(): void
}

let tasks: TurnTask[] = []

/**
 * Has something done when the event loop turns. Most calls are over by then, and an immediate of its own costs each more
 * than many a handler: there is one for all of them. The task itself knows when it is no longer wanted. It runs in no
 * call's async context.
 */
export function onNextTurn(task: TurnTask): void {
  if (tasks.push(task) === 1) setImmediate(turn)
}

function turn(): void {
  const due = tasks
  tasks = []
  for (const task of due) task.onTurn()
}
