import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Output } from '../../../test/support/output.js'
import { until } from '../../../test/support/until.js'
import { answerTools, DevProcess, DevProject, main, program, toolModule } from './support/dev-project.js'

let project: DevProject
const closings: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of closings.splice(0).toReversed()) {
    // oxlint-disable-next-line no-await-in-loop -- clients before their servers
    await close()
  }
  project.remove()
})

function start(files: Readonly<Record<string, string>>, args?: readonly string[], env?: NodeJS.ProcessEnv): DevProcess {
  project = new DevProject(files)
  const dev = DevProcess.start(project, args, env)
  closings.push(() => dev.stop())
  return dev
}

async function connect(transport: StreamableHTTPClientTransport | StdioClientTransport): Promise<Client> {
  const client = new Client(
    { name: 'client', version: '1.0.0' },
    { versionNegotiation: { mode: 'legacy' }, capabilities: { elicitation: {} } },
  )
  closings.push(() => client.close())
  await client.connect(transport)
  return client
}

async function call(client: Client, name: string): Promise<string> {
  const { content } = await client.callTool({ name })
  return (content[0] as { text: string }).text
}

/** Sends a request of 2026-07-28, and returns its result. */
async function modern(url: URL, method: string, params: object, name: string): Promise<Record<string, unknown>> {
  const key = (member: string): string => `io.modelcontextprotocol/${member}`
  const _meta = {
    [key('protocolVersion')]: '2026-07-28',
    [key('clientInfo')]: { name: 'client', version: '1.0.0' },
    [key('clientCapabilities')]: { extensions: { [key('tasks')]: {} } },
  }
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  })
  const { result, error } = (await response.json()) as { result?: Record<string, unknown>; error?: object }
  if (result === undefined) throw new Error(JSON.stringify(error))
  return result
}

const ask = toolModule(
  'ask',
  `const answer = await context.elicit({ message: 'Sure?', schema: Type.Object({ sure: Type.Boolean() }) })
    return answer.action`,
).replace('{ McpContext', '{ Type, McpContext')

/** Serves \`ask\`. Answers its request when the server was reloaded meanwhile. */
async function answerAfterReload(client: Client, output: Output): Promise<string> {
  client.setRequestHandler('elicitation/create', async () => {
    project.write('src/tools/answer-tools.ts', answerTools('2'))
    await output.match(/reloaded in/)
    return { action: 'accept', content: { sure: true } }
  })
  return call(client, 'ask')
}

describe('a reload over HTTP', () => {
  it('waits for a fix of a program that cannot start, and ends with 0 on SIGTERM', async () => {
    const dev = start({ 'src/main.ts': `${main}}` })
    await dev.output.match(/the server cannot start: waiting for a change[^]*src\/main\.ts/)
    project.writeByRename('src/main.ts', main)
    await dev.url()

    expect(await dev.stop()).toBe(0)
  })

  it('finishes calls in flight in the old version, which also gets the answers of the user', async () => {
    const dev = start({ 'src/tools/ask-tools.ts': ask })
    const client = await connect(new StreamableHTTPClientTransport(await dev.url()))

    expect(await answerAfterReload(client, dev.output)).toBe('accept')
    expect(await call(client, 'answer')).toBe('answer 2')
    expect(dev.output.text).toMatch(/tools\/call ask \d.* ok client\n/)
  })

  it('finishes a running task, whose result the new version returns', async () => {
    const work = toolModule(
      'work',
      "while (!existsSync('done')) await new Promise((resolve) => setTimeout(resolve, 5))\nreturn 'old'",
    )
      .replace("description: 'A tool.'", "description: 'A tool.', task: 'required'")
      .replace('\nimport', "\nimport { existsSync } from 'node:fs'\nimport")
    const dev = start({ 'src/tools/work-tools.ts': work })
    const url = await dev.url()
    const { taskId } = await modern(url, 'tools/call', { name: 'work' }, 'work')
    project.write('src/tools/work-tools.ts', work.replace("'old'", "'new'"))
    await dev.output.match(/reloaded in/)
    const get = () => modern(url, 'tasks/get', { taskId }, String(taskId))
    expect(await get()).toMatchObject({ status: 'working' })

    project.write('done', '')
    await until(async () => (await get())['status'] === 'completed')
    expect(await get()).toMatchObject({ result: { content: [{ type: 'text', text: 'old' }] } })
  })

  it('runs createHost with routes, and does not duplicate registrations for injection', async () => {
    const host = (route: string) => `
import { container, createHost } from 'toolwright'

container.register('part', { useValue: '${route}' })
const host = await createHost({ name: 'project', version: '1.0.0', scan: new URL('./tools/', import.meta.url) })
host.get('/parts', () => container.resolveAll('part'))
await host.listen({ port: 0, host: '127.0.0.1' })
`
    const dev = start({ 'src/main.ts': host('one') })
    const url = new URL('/parts', await dev.url())
    expect(await (await fetch(url)).json()).toEqual(['one'])

    project.write('src/main.ts', host('two'))
    await dev.output.match(/reloaded in .* src\/main\.ts/)
    expect(await (await fetch(url)).json()).toEqual(['two'])
  })

  it('continues after exceptions and process.exit of the program', async () => {
    const failing = `${main}
setTimeout(() => process.exit(3), 1)
setTimeout(() => { throw new Error('outside of calls') }, 1)
`
    const dev = start({ 'src/main.ts': failing })
    const url = await dev.url()
    await dev.output.match(/The program called process\.exit\(3\)/)
    await dev.output.match(/uncaught exception[^]*outside of calls/)

    expect((await fetch(new URL('/health/live', url))).status).toBe(200)
  })

  it('ends with 1 if a chosen port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const dev = start({}, ['--no-types', '--no-inspector', '--port', String(port)])
    const [code] = (await once(dev.child, 'exit')) as [number]
    other.close()

    expect(code).toBe(1)
    expect(dev.output.text).toContain(`--port ${port} of 127.0.0.1 is in use.`)
  })
})

describe('a reload over stdio', () => {
  const resource = `
import { McpContext, McpResource, McpTool } from 'toolwright'

export class NoteTools {
  @McpResource('notes://all')
  notes(): string {
    return 'a note'
  }

  @McpTool({ description: 'Changes the notes.' })
  async change(context: McpContext): Promise<string> {
    console.log('printed by a tool')
    context.changes.resourceUpdated('notes://all')
    return 'changed'
  }
}
`

  it('keeps subscriptions of the client, and delivers the answer of the user to the old version', async () => {
    project = new DevProject({ 'src/tools/ask-tools.ts': ask, 'src/tools/note-tools.ts': resource })
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [program, 'dev', join('src', 'main.ts'), '--stdio', '--no-types'],
      cwd: project.folder,
      env: getDefaultEnvironment(),
      stderr: 'pipe',
    })
    const output = new Output(transport.stderr === null ? [] : [transport.stderr])
    const client = await connect(transport)
    const errors: Error[] = []
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the client has no other way
    client.onerror = (error) => errors.push(error)
    let updates = 0
    client.setNotificationHandler('notifications/resources/updated', () => void updates++)
    await client.subscribeResource({ uri: 'notes://all' })

    expect(await answerAfterReload(client, output)).toBe('accept')
    expect(await call(client, 'answer')).toBe('answer 2')
    expect(await call(client, 'change')).toBe('changed')
    await until(() => updates === 1)
    await output.match(/printed by a tool/)
    expect(errors).toEqual([])
  })
})
