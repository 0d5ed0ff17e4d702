// A server with a feature of each kind that the inspector shows.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  AllowAnonymous,
  Authorize,
  apiKeys,
  audio,
  type ContentBlock,
  createHost,
  embeddedResource,
  image,
  McpCompletion,
  McpContext,
  McpPrompt,
  McpResource,
  McpTool,
  type ProgressUpdate,
  resourceLink,
  type Static,
  ToolError,
  Type,
  text,
} from 'toolwright'
import { inspector } from '../../src/index.js'

const Sum = Type.Object({ a: Type.Number({ description: 'First number' }), b: Type.Number() })
const Total = Type.Object({ sum: Type.Number() })

const Order = Type.Object({
  wood: Type.Union([Type.Literal('oak', { title: 'Oak' }), Type.Literal('pine', { title: 'Pine' })]),
  count: Type.Integer({ default: 1, minimum: 1 }),
  polished: Type.Boolean(),
  size: Type.Object({ width: Type.Number(), height: Type.Optional(Type.Number()) }),
  labels: Type.Optional(Type.Array(Type.String())),
})

const Guest = Type.Object({ name: Type.String({ title: 'Name' }) })
const Name = Type.Object({ name: Type.String() })

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const appPage = `<!doctype html><p id="shown">waiting</p><script>
const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
let reached = 'nothing'
try { reached = parent.document.title } catch { reached = 'nothing of the page' }
addEventListener('message', ({ source, data }) => {
  if (source !== parent) return
  if (data.id === 1) send({ method: 'ui/notifications/initialized', params: {} })
  if (data.method === 'ui/notifications/tool-result') {
    document.getElementById('shown').textContent = 'The sum is ' + data.params.structuredContent.sum + ', reached ' + reached
  }
})
send({ id: 1, method: 'ui/initialize', params: { protocolVersion: '2026-01-26' } })
</script>`

export class WorkshopTools {
  /** Number of finished calls, so that a test can check that a cancelled call did not finish. */
  static finished = 0

  @McpTool({ title: 'Add numbers', description: 'Adds two numbers', input: Sum, output: Total })
  add({ a, b }: Static<typeof Sum>): Static<typeof Total> {
    return { sum: a + b }
  }

  @McpTool({ description: 'Orders a board', input: Order })
  order(order: Static<typeof Order>): string {
    return JSON.stringify(order)
  }

  @McpTool({ description: 'Always fails' })
  fail(): never {
    throw new ToolError('The saw is broken.')
  }

  @McpTool({ description: 'Saws until it is cancelled' })
  async saw(context: McpContext): Promise<string> {
    context.progress(1, 4, 'one cut of four')
    context.sendLogMessage('info', 'the saw turns')
    await sleep(600_000, undefined, { signal: context.signal })
    WorkshopTools.finished++
    return 'Sawn.'
  }

  @McpTool({ description: 'Sands in three steps' })
  async *sand(): AsyncGenerator<ProgressUpdate, string> {
    for (const progress of [1, 2, 3]) yield { progress, total: 3 }
    return 'Smooth.'
  }

  @McpTool({ description: 'Asks for a name' })
  async welcome(context: McpContext): Promise<string> {
    const { action, content } = await context.elicit({ message: 'Who is there?', schema: Guest })
    return action === 'accept' ? `Welcome, ${content.name}.` : `No welcome: ${action}.`
  }

  @McpTool({ description: 'Asks to open a page' })
  async pay(context: McpContext): Promise<string> {
    const { action } = await context.elicitUrl({ message: 'Please pay', url: 'https://bank.example.com/pay' })
    return `Paid: ${action}.`
  }

  @McpTool({ description: 'Asks the model' })
  async advise(context: McpContext): Promise<string> {
    const advice = await context.sample({ messages: [{ role: 'user', content: 'Which wood?' }], maxTokens: 50 })
    return `Advice: ${advice.text}`
  }

  @McpTool({ description: 'Paints in the background', input: Name, task: 'optional' })
  async paint({ name }: Static<typeof Name>, context: McpContext): Promise<string> {
    const { action } = await context.elicit({ message: `Paint ${name}?`, schema: Guest })
    return `Painted ${name}: ${action}.`
  }

  @McpTool({ description: 'Returns every kind of content' })
  everything(): readonly ContentBlock[] {
    return [
      text('A text'),
      image(pixel, 'image/png'),
      audio(Buffer.from('RIFF'), 'audio/wav'),
      resourceLink('workshop://plan', 'plan', { title: 'The plan' }),
      embeddedResource({ uri: 'workshop://note', mimeType: 'text/plain', text: 'An embedded note' }),
    ]
  }

  @McpTool({ description: 'Adds, and draws it', input: Sum, output: Total, ui: { resourceUri: 'ui://workshop/sum' } })
  draw({ a, b }: Static<typeof Sum>): Static<typeof Total> {
    return { sum: a + b }
  }

  @McpTool({ description: 'Changes the plan and adds a tool' })
  change(context: McpContext): string {
    context.changes.resourceUpdated('workshop://plan')
    context.changes.toolsChanged()
    return 'Changed.'
  }
}

export class WorkshopResources {
  @McpResource('workshop://plan', { title: 'Plan', description: 'The plan of the workshop', mimeType: 'text/plain' })
  plan(): string {
    return 'Build a table.'
  }

  @McpResource('workshop://boards/{wood}', { description: 'Boards of a wood' })
  boards({ wood }: { wood: string }): string {
    return `Boards of ${wood}`
  }

  @McpResource('ui://workshop/sum', { description: 'Draws a sum' })
  page(): string {
    return appPage
  }
}

export class WorkshopPrompts {
  @McpPrompt({ description: 'Plans a piece', input: Type.Object({ piece: Type.String() }) })
  plan({ piece }: { piece: string }): string {
    return `Plan a ${piece}, please.`
  }

  @McpCompletion({ prompt: 'plan', argument: 'piece' })
  pieces(): readonly string[] {
    return ['table', 'chair']
  }
}

export class ReopenedTools {
  @McpTool({ description: 'Says that the workshop has opened again' })
  reopened(): string {
    return 'Open again'
  }
}

export class OfficeTools {
  @McpTool({ description: 'For everybody' })
  @AllowAnonymous()
  hours(): string {
    return 'Nine to five'
  }

  @McpTool({ description: 'For the boss' })
  @Authorize({ roles: ['Boss'] })
  dismiss(): string {
    return 'Dismissed'
  }
}

export class ClosedTools {
  @McpTool({ description: 'For the boss' })
  @Authorize({ roles: ['Boss'] })
  dismiss(): string {
    return 'Dismissed'
  }
}

export const bossKey = 'a-key-of-the-boss-with-enough-letters'

const silent = { fastify: { logger: false } } as const

export interface Started {
  readonly url: string
  close(): Promise<void>
}

export async function startWorkshop(): Promise<Started> {
  return start({ controllers: [WorkshopTools, WorkshopResources, WorkshopPrompts] })
}

/** @param isClosed Whether there is nothing for anonymous callers, so that the server rejects them. */
export async function startOffice({ isClosed = false } = {}): Promise<Started> {
  const keys = [{ key: bossKey, subject: 'boss', roles: ['Boss'] }]
  const controllers = [isClosed ? ClosedTools : OfficeTools]
  return start({ controllers, authentication: apiKeys({ keys, header: 'x-api-key' }) })
}

export async function start(
  options: Omit<Parameters<typeof createHost>[0], 'name' | 'version'>,
  port = 0,
): Promise<Started> {
  const host = await createHost({ name: 'workshop', version: '2.0.0', title: 'Workshop', ...silent, ...options })
  await host.register(inspector, { server: host.mcp })
  const address = await host.listen({ host: '127.0.0.1', port })
  return { url: `${address}/inspector`, close: () => host.close() }
}
