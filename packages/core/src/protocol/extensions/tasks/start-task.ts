import { setImmediate } from 'node:timers/promises'
import type { Call, FeatureMethod, Step } from '../../../call/call.js'
import { shareNotes } from '../../../context/call-notes.js'
import { detachContext, openClientRequester } from '../../../context/mcp-context.js'
import { ProtocolError } from '../../../errors/protocol-error.js'
import type { ToolPlan } from '../../../plan/tool-plan.js'
import type { Task } from '../../../tasks/task.js'
import type { Tasks } from '../../../tasks/tasks.js'
import { DetachedCall, type RequestCall } from '../../request-call.js'
import { TaskClientRequester } from './client-requests.js'
import { TaskRun } from './task-run.js'
import { declaresTasks, requireTasks } from './tasks-extension.js'

type StartTask = NonNullable<FeatureMethod['startTask']>

/** Runs the calls of tools that can be tasks. @param encodeCreated The result that names a new task. */
export function createStartTask(tasks: Tasks, encodeCreated: (task: Task) => string): StartTask {
  return (started, next) => {
    const call = started as RequestCall
    const plan = call.plan as ToolPlan
    const { clientCapabilities } = call.context
    if (plan.task === 'required') requireTasks(clientCapabilities)
    if (!declaresTasks(clientCapabilities)) {
      next(call)
      return
    }
    const begin = plan.startsTask ? beginWithHandler : beginAtOnce
    begin(plan, call, next, new TaskRun(tasks, call.context)).then(
      (result) => {
        if (result !== null) call.respond(typeof result === 'string' ? result : encodeCreated(result))
      },
      (error) => call.fail(error),
    )
  }
}

/** The call is a task before its handler runs. @returns `null` where the call goes on without one. */
async function beginAtOnce(plan: ToolPlan, call: RequestCall, next: Step, run: TaskRun): Promise<Task | null> {
  const task = await run.start()
  if (task === null) {
    if (plan.task === 'required') refuse()
    call.resume(next)
    return null
  }
  // The answer goes out first, however busy the handler keeps the process.
  run.follow(setImmediate().then(() => runDetached(call, run, null, next)))
  return keepIfWanted(call, run, task)
}

/** The handler runs as in any call, until it declares the call a task. */
async function beginWithHandler(plan: ToolPlan, call: RequestCall, next: Step, run: TaskRun): Promise<Task | string> {
  const stopWith = (): void => {
    run.cancellation.cancel(call.cancellation.reason as Error)
  }
  call.cancellation.signal.addEventListener('abort', stopWith)
  try {
    let handled: Promise<string> | null = null
    const result = await new Promise<Task | string>((resolve, reject) => {
      const startTask = async (): Promise<void> => {
        const started = await run.start()
        if (started === null && plan.task === 'required') refuse()
        if (started === null) return
        resolve(started)
        // The answer goes out first, however busy the handler keeps the process.
        await setImmediate()
      }
      handled = runDetached(call, run, once(startTask), next)
      handled.then(resolve, reject)
    })
    if (typeof result === 'string') return result
    run.follow(handled as unknown as Promise<string>)
    return await keepIfWanted(call, run, result)
  } finally {
    call.cancellation.signal.removeEventListener('abort', stopWith)
  }
}

function once(start: () => Promise<void>): () => Promise<void> {
  let started: Promise<void> | null = null
  return () => (started ??= start())
}

/**
 * Runs the same call with a handler that outlives its request.
 *
 * @param startTask Called when the handler declares the call a task; `null` where it is one already.
 */
async function runDetached(
  call: RequestCall,
  run: TaskRun,
  startTask: (() => Promise<void>) | null,
  next: Step,
): Promise<string> {
  const { context, revision, exchange } = call
  const { cancellation } = run
  if (startTask === null && cancellation.reason !== null) throw cancellation.reason
  const isLate = startTask !== null
  const clientRequester = new TaskClientRequester({
    run,
    before: isLate ? () => openClientRequester(context) : null,
    clientCapabilities: context.clientCapabilities,
    revision,
    startTask: startTask ?? (() => Promise.resolve()),
  })
  // A task has no messages besides its status: once the request is answered, the exchange sends nothing more.
  const client = {
    openClientRequester: () => clientRequester,
    notify: (json: string) => exchange.notify(json),
    closeStream: () => exchange.closeStream(),
    get taskId() {
      return run.task?.taskId ?? null
    },
  }
  const detached = detachContext(context, { cancellation, client, isRetry: isLate })
  shareNotes(context, detached)
  return new Promise<string>((resolve, reject) => {
    new DetachedCall(call, detached, cancellation, { resolve, reject }).resume(next)
  })
}

/** Stops a task whose client left before its answer: no client could ever ask for it. */
async function keepIfWanted({ cancellation }: Call, run: TaskRun, task: Task): Promise<Task> {
  if (cancellation.reason === null) return task
  await run.stop('the client left before it knew of the task')
  throw cancellation.reason
}

function refuse(): never {
  throw new ProtocolError('internalError', 'The server has no room for another task. Try again later')
}
