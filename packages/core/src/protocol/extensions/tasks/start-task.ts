import { setImmediate } from 'node:timers/promises'
import type { Call, FeatureMethod, Step } from '../../../call/call.js'
import { ProtocolError } from '../../../errors/protocol-error.js'
import type { ToolPlan } from '../../../plan/tool-plan.js'
import { once } from '../../../util/once.js'
import { declaredSettings, requireExtension } from '../../client-capabilities.js'
import { runDetached } from '../../detached-call.js'
import type { CompleteResult } from '../../methods/result-writer.js'
import type { RequestCall } from '../../request-call.js'
import { TaskClientRequester } from './client-requests.js'
import { encodeTask } from './encode-task.js'
import { type Task, tasksId } from './task.js'
import { TaskRun } from './task-run.js'
import type { Tasks } from './tasks.js'

type StartTask = NonNullable<FeatureMethod['startTask']>

/**
 * Creates the step that turns calls of tools into tasks. @param completeTask Completes the result of a call that became a task.
 */
export function createStartTask(tasks: Tasks, completeTask: CompleteResult): StartTask {
  return (started, next) => {
    const call = started as RequestCall
    const plan = call.plan as ToolPlan
    const { clientCapabilities } = call.context
    if (plan.task === 'required') requireExtension(clientCapabilities, tasksId)
    if (declaredSettings(clientCapabilities, tasksId) === null) {
      next(call)
      return
    }
    const begin = plan.startsTask ? beginWithHandler : beginAtOnce
    begin(plan, call, next, new TaskRun(tasks, call.context)).then(
      (result) =>
        result === null
          ? undefined
          : call.respond(typeof result === 'string' ? result : completeTask(encodeTask(result), null)),
      (error: unknown) => call.fail(error),
    )
  }
}

async function beginAtOnce(plan: ToolPlan, call: RequestCall, next: Step, run: TaskRun): Promise<Task | null> {
  const task = await run.start()
  if (task === null) {
    if (plan.task === 'required') rejectTask()
    call.resume(next)
    return null
  }
  // The handler runs in a later turn, so that the response is sent first even if the handler blocks the event loop.
  run.follow(setImmediate().then(() => runInBackground(call, run, null, next)))
  return keepIfWanted(call, run, task)
}

async function beginWithHandler(plan: ToolPlan, call: RequestCall, next: Step, run: TaskRun): Promise<Task | string> {
  const { cancellation } = call
  const stop = (): void => run.cancellation.cancel(cancellation.reason as Error)
  cancellation.signal.addEventListener('abort', stop)
  try {
    let handled: Promise<string> | null = null
    const result = await new Promise<Task | string>((resolve, reject) => {
      const startTask = async (): Promise<void> => {
        const started = await run.start()
        if (started === null && plan.task === 'required') rejectTask()
        if (started === null) return
        resolve(started)
        // The handler continues in a later turn, so that the response is sent first even if the handler blocks the event loop.
        await setImmediate()
      }
      handled = runInBackground(call, run, once(startTask), next)
      handled.then(resolve, reject)
    })
    if (typeof result === 'string') return result
    run.follow(handled as unknown as Promise<string>)
    return await keepIfWanted(call, run, result)
  } finally {
    cancellation.signal.removeEventListener('abort', stop)
  }
}

/**
 * Runs the same call with a handler that can continue after the request is answered.
 *
 * @param startTask Called when the handler turns the call into a task; `null` if the call is already a task.
 */
async function runInBackground(
  call: RequestCall,
  run: TaskRun,
  startTask: (() => Promise<void>) | null,
  next: Step,
): Promise<string> {
  const { cancellation } = run
  if (startTask === null && cancellation.reason !== null) throw cancellation.reason
  return runDetached(call, next, {
    cancellation,
    clientRequests: new TaskClientRequester(call, run, startTask),
    progress: run,
    taskId: () => run.task?.taskId ?? null,
    isRetry: startTask !== null,
  })
}

/** Stops a task if its client disconnected before the response, because no client has received the task id. */
async function keepIfWanted({ cancellation }: Call, run: TaskRun, task: Task): Promise<Task> {
  if (cancellation.reason === null) return task
  await run.stop('the client disconnected before it got the task id')
  throw cancellation.reason
}

function rejectTask(): never {
  throw new ProtocolError('internalError', 'The server has reached its limit of tasks. Try again later')
}
