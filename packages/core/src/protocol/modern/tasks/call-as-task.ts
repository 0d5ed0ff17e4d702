import { setImmediate } from 'node:timers/promises'
import { shareNotes } from '../../../context/call-notes.js'
import { detachContext, openClientRequester } from '../../../context/mcp-context.js'
import { ProtocolError } from '../../../errors/protocol-error.js'
import type { ToolPlan } from '../../../plan/tool-plan.js'
import type { Task } from '../../../tasks/task.js'
import type { Tasks } from '../../../tasks/tasks.js'
import type { Call } from '../../era.js'
import type { CallAsTask, ServeTool } from '../../methods/result-writer.js'
import { TaskClientRequester } from './client-requests.js'
import { TaskRun } from './task-run.js'
import { declaresTasks, requireTasks } from './tasks-extension.js'

/** Serves `tools/call` of tools that can be tasks. @param encodeCreated The result that tells of a new task. */
export function createCallAsTask(tasks: Tasks, encodeCreated: (task: Task) => string): CallAsTask {
  return async (plan, call, serve) => {
    if (plan.task === 'required') requireTasks(call.context.clientCapabilities)
    if (!declaresTasks(call.context.clientCapabilities)) return serve(call)
    const begin = plan.startsTask ? beginWithHandler : beginAtOnce
    const started = await begin(plan, call, serve, new TaskRun(tasks, call.context))
    return typeof started === 'string' ? started : encodeCreated(started)
  }
}

/** The call is a task before its handler runs. */
async function beginAtOnce(plan: ToolPlan, call: Call, serve: ServeTool, run: TaskRun): Promise<Task | string> {
  const task = await run.start()
  if (task === null) return plan.task === 'required' ? refuse() : serve(call)
  const taskCall = detach(call, run, null)
  // The answer goes out first, however busy the handler keeps the process.
  run.follow(setImmediate().then(() => serveUnlessCancelled(serve, taskCall)))
  return keepIfWanted(call, run, task)
}

function serveUnlessCancelled(serve: ServeTool, call: Call): string | Promise<string> {
  if (call.cancellation.reason !== null) throw call.cancellation.reason
  return serve(call)
}

/** The handler runs as in any call, until it says that it is a task from here on. */
async function beginWithHandler(plan: ToolPlan, call: Call, serve: ServeTool, run: TaskRun): Promise<Task | string> {
  const stopWith = (): void => {
    run.cancellation.cancel(call.cancellation.reason as Error)
  }
  call.cancellation.signal.addEventListener('abort', stopWith)
  try {
    let outcome: Promise<string> | null = null
    const task = await new Promise<Task | string>((resolve, reject) => {
      const startTask = async (): Promise<void> => {
        const started = await run.start()
        if (started === null && plan.task === 'required') refuse()
        if (started === null) return
        resolve(started)
        // The answer goes out first, however busy the handler keeps the process.
        await setImmediate()
      }
      outcome = runHandler(serve, detach(call, run, once(startTask)))
      outcome.then(resolve, reject)
    })
    if (typeof task === 'string') return task
    run.follow(outcome as unknown as Promise<string>)
    return await keepIfWanted(call, run, task)
  } finally {
    call.cancellation.signal.removeEventListener('abort', stopWith)
  }
}

/** A promise also where the handler throws at once. */
async function runHandler(serve: ServeTool, call: Call): Promise<string> {
  return serve(call)
}

function once(start: () => Promise<void>): () => Promise<void> {
  let started: Promise<void> | null = null
  return () => (started ??= start())
}

/** The same call for a handler that outlives its request. @param startTask `null`: it has been started. */
function detach(call: Call, run: TaskRun, startTask: (() => Promise<void>) | null): Call {
  const { context, revision, exchange } = call
  const { cancellation } = run
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
  return { ...call, context: detached, cancellation }
}

/** Stops a task whose client left before it was told: nobody could ever ask for it. */
async function keepIfWanted({ cancellation }: Call, run: TaskRun, task: Task): Promise<Task> {
  if (cancellation.reason === null) return task
  await run.stop('the client left before it knew of the task')
  throw cancellation.reason
}

function refuse(): never {
  throw new ProtocolError('internalError', 'The server has no room for another task. Try again later')
}
