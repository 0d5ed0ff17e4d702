import { setTimeout as sleep } from 'node:timers/promises'
import {
  McpContext,
  McpTool,
  ProtocolError,
  type Static,
  ToolError,
  Type,
} from 'toolwright'

const Greeting = Type.Object({ name: Type.String() })
const Computation = Type.Object({
  seconds: Type.Number({ minimum: 0, maximum: 3600 }),
  label: Type.String(),
})
const Deletion = Type.Object({ filename: Type.String() })
const Confirmation = Type.Object({ confirm: Type.Boolean() })
const Name = Type.Object({ name: Type.String() })

/** Calls that run as tasks, which clients poll. */
export class TaskTools {
  @McpTool({
    description: 'Greets a person, and never runs as a task',
    input: Greeting,
  })
  greet({ name }: Static<typeof Greeting>): string {
    return `Hello, ${name}!`
  }

  @McpTool({
    description:
      'Computes for the given number of seconds, as a task if the client requests it',
    input: Computation,
    task: 'optional',
  })
  async slowCompute(
    { seconds, label }: Static<typeof Computation>,
    context: McpContext,
  ): Promise<string> {
    await sleep(seconds * 1000, undefined, { signal: context.signal })
    return `Computed '${label}' for ${seconds} s.`
  }

  @McpTool({
    description:
      'Runs only as a task, and fails with an error that a model can read',
    task: 'required',
  })
  async failingJob(context: McpContext): Promise<string> {
    await sleep(1000, undefined, { signal: context.signal })
    throw new ToolError('The job failed, as it always does.')
  }

  @McpTool({
    description: 'Runs only as a task, and fails with a protocol error',
    task: 'required',
  })
  async protocolErrorJob(context: McpContext): Promise<string> {
    await sleep(100, undefined, { signal: context.signal })
    throw new ProtocolError(
      'internalError',
      'The job failed with a protocol error, as it always does',
    )
  }

  @McpTool({
    description: 'Asks for confirmation, and pretends to delete a file',
    input: Deletion,
    task: 'optional',
  })
  async confirmDelete(
    { filename }: Static<typeof Deletion>,
    context: McpContext,
  ): Promise<string> {
    const message = `Delete ${filename}?`
    const { content } = await context.elicit({
      key: 'confirm',
      message,
      schema: Confirmation,
    })
    return content?.confirm === true
      ? `Deleted ${filename}.`
      : `Kept ${filename}.`
  }

  @McpTool({ description: 'Asks two things at once', task: 'optional' })
  async multiInput(context: McpContext): Promise<string> {
    const answers = await Promise.all([
      context.elicit({
        key: 'first',
        message: 'The first?',
        schema: Confirmation,
      }),
      context.elicit({
        key: 'second',
        message: 'The second?',
        schema: Confirmation,
      }),
    ])
    return `Answered: ${answers.map(({ action }) => action).join(', ')}.`
  }

  @McpTool('test_tool_with_task', {
    description: 'Asks for a name, and then becomes a task',
    task: 'required',
    taskStart: 'by-handler',
  })
  async withTask(context: McpContext): Promise<string> {
    const { content } = await context.elicit({
      key: 'user_name',
      message: 'What is your name?',
      schema: Name,
    })
    await context.startTask()
    await sleep(100, undefined, { signal: context.signal })
    return `Hello, ${content?.name ?? 'stranger'}!`
  }
}
