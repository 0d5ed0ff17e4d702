// Compares isolation with a model: the expected result of each call is known in advance.
import { randomUUID } from 'node:crypto'
import { injectable, Lifecycle, McpContext, McpTool, type Static, scoped, Type } from '@toolwright/core'
import {
  legacyMessage,
  legacyVersions,
  type Message,
  metaKeys,
  modernMessage,
  modernVersion,
  toolCall,
} from '../../../../test/support/client/index.js'
import { seeded } from './random.js'

export const versions = [...legacyVersions, modernVersion]

const random = seeded(7)

/** Mostly minimal delays, so that calls overlap in every way and the test ends. */
function pause(): Promise<void> {
  const chance = random()
  if (chance < 0.4) return Promise.resolve()
  return new Promise((resolve) => (chance < 0.9 ? setImmediate(resolve) : setTimeout(resolve, random() * 3)))
}

/** A per-call notebook. */
@scoped(Lifecycle.ContainerScoped)
class Notebook {
  readonly id = randomUUID()
  readonly notes: string[] = []

  constructor(readonly context: McpContext) {}
}

const Work = Type.Object({ number: Type.Integer(), secret: Type.String() })

@injectable()
export class WorkTools {
  constructor(private readonly notebook: Notebook) {}

  @McpTool({ input: Work })
  async work({ number, secret }: Static<typeof Work>, context: McpContext): Promise<object> {
    const { notebook } = this
    notebook.notes.push(secret)
    context.progress(number)
    await pause()
    notebook.notes.push(secret)
    context.sendLogMessage('info', { secret, subject: notebook.context.principal?.subject ?? null })
    await pause()
    const { principal, protocolVersion, requestId } = notebook.context
    return {
      secret,
      notebook: notebook.id,
      notes: notebook.notes,
      protocolVersion,
      requestId,
      subject: principal?.subject,
    }
  }
}

/** Messages of the server for one call, in order. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Told = any

/** Every call has the id 1 and the progress token 1. */
export function workCall(version: string, number: number, secret: string): Message {
  const params = { ...toolCall('work', { number, secret }), _meta: { progressToken: 1 } }
  return version === modernVersion
    ? modernMessage('tools/call', params, { [metaKeys.logLevel]: 'info' })
    : legacyMessage('tools/call', params)
}

/** Every notebook so far: each may serve one call only. */
export const notebooks = new Set<string>()

/** The difference between the messages of a call and the model; `undefined` when they match. */
export function crossed(
  told: Told[],
  version: string,
  number: number,
  secret: string,
  subject?: string,
): string | undefined {
  const [progress, log, { id, result }] = told
  const { notebook, ...returned } = JSON.parse(result.content[0].text)
  const isNew = !notebooks.has(notebook)
  notebooks.add(notebook)
  const expected = [
    { progressToken: 1, progress: number },
    { level: 'info', data: { secret, subject: subject ?? null } },
    {
      secret,
      notes: [secret, secret],
      protocolVersion: version,
      requestId: 1,
      ...(subject === undefined ? {} : { subject }),
    },
  ]
  const isRight = JSON.stringify([progress.params, log.params, returned]) === JSON.stringify(expected)
  return told.length === 3 && id === 1 && isNew && isRight ? undefined : JSON.stringify({ told, expected })
}
