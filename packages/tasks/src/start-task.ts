import { setImmediate } from 'node:timers/promises'
import { ProtocolError } from '@toolwright/core'
import type { DetachableCall } from '@toolwright/core/extension'
import { encodeTask } from './encode-task.js'
import type { Task } from './task.js'
import { TaskRun } from './task-run.js'
import type { Tasks } from './tasks.js'

type StartedTask = { readonly task: string } | { readonly result: string }

/** Turns a call into a task. @returns `null` if a limit is reached, and the call can do without a task. */
export function startTask(call: DetachableCall, tasks: Tasks): Promise<StartedTask | null> {
  const run = new TaskRun(tasks, call)
  return call.startsTask ? beginWithHandler(call, run) : beginAtOnce(call, run)
}

async function beginAtOnce(call: DetachableCall, run: TaskRun): Promise<StartedTask | null> {
  const task = await startRun(call, run)
  if (task === null) return null
  // The handler runs in a later turn, so that the response is sent first even if the handler blocks the event loop.
  run.follow(
    setImmediate().then(() => {
      call.signal.throwIfAborted()
      return call.detach(run, null)
    }),
  )
  return keepIfWanted(call, run, task)
}

async function beginWithHandler(call: DetachableCall, run: TaskRun): Promise<StartedTask> {
  const endCancelling = call.cancelWithRequest()
  try {
    let handled: Promise<string> | null = null
    const result = await new Promise<Task | string>((resolve, reject) => {
      let starting: Promise<void> | null = null
      const start = async (): Promise<void> => {
        const started = await startRun(call, run)
        if (started === null) return
        resolve(started)
        // The handler continues in a later turn, so that the response is sent first even if the handler blocks the event loop.
        await setImmediate()
      }
      handled = call.detach(run, () => (starting ??= start()))
      handled.then(resolve, reject)
    })
    if (typeof result === 'string') return { result }
    run.follow(handled as unknown as Promise<string>)
    return await keepIfWanted(call, run, result)
  } finally {
    endCancelling()
  }
}

async function startRun({ isRequired }: DetachableCall, run: TaskRun): Promise<Task | null> {
  const task = await run.start()
  if (task !== null || !isRequired) return task
  throw new ProtocolError('internalError', 'The server has reached its limit of tasks. Try again later')
}

/** Stops a task if its client disconnected before the response, because no client has received the task id. */
async function keepIfWanted({ context }: DetachableCall, run: TaskRun, task: Task): Promise<StartedTask> {
  if (context.signal.aborted) {
    await run.stop('the client disconnected before it got the task id')
    context.signal.throwIfAborted()
  }
  return { task: encodeTask(task) }
}
