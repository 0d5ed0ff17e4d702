import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { answerTools } from '../support/dev-project.js'
import { removeProjects, runProject } from '../support/run-project.js'

afterEach(removeProjects)

const setUp = "{ name: 'project', version: '1.0.0', scan: new URL('./tools/', import.meta.url) }"

const mounted = (listen: string): string => `
import Fastify from 'fastify'
import { mcp } from 'toolwright'

const app = Fastify()
app.get('/own', () => 'own route')
app.addHook('onClose', () => console.log('closed an application'))
${listen}
`

const applications: readonly (readonly [string, string])[] = [
  [
    'that awaits the plugin and listens on all addresses of localhost',
    `await app.register(mcp, ${setUp})\nconsole.log('at', await app.listen({ port: 0 }))`,
  ],
  [
    'that listens with a callback, as the adapter of Nest does',
    `app.register(mcp, ${setUp})
app.listen({ port: 0, host: '127.0.0.1' }, (error, address) => console.log('at', address, app.server.address().port))`,
  ],
  [
    'with a prefix',
    `app.register(async (scope) => scope.register(mcp, ${setUp}), { prefix: '/api' })
await app.listen({ port: 0, host: '127.0.0.1' })`,
  ],
]

describe('toolwright dev runs an application', () => {
  it.each(applications)('%s', async (_case, listen) => {
    const { project, dev } = runProject({ 'src/main.ts': mounted(listen) })
    const url = await dev.url()
    const client = new Client({ name: 'client', version: '1.0.0' }, { versionNegotiation: { mode: 'legacy' } })
    await client.connect(new StreamableHTTPClientTransport(url))
    const answer = async (): Promise<unknown> => (await client.callTool({ name: 'answer' })).content[0]
    expect(await answer()).toMatchObject({ text: 'answer 1' })

    project.write('src/tools/answer-tools.ts', answerTools('2'))
    await dev.output.match(/reloaded in[^]*closed an application/)
    // The session of the client continues at the new application.
    expect(await answer()).toMatchObject({ text: 'answer 2' })
    await client.close()
    expect(await (await fetch(new URL('/own', url))).text()).toBe('own route')
    expect(await dev.output.match(/tools\/call answer .* ok client/)).not.toBeNull()
  })

  it('with the inspector, although a hook of the application rejects requests', async () => {
    const listen = `app.addHook('onRequest', async (request, reply) => reply.code(401).send())
await app.register(mcp, ${setUp})
await app.listen({ port: 0 })`
    const { dev } = runProject({ 'src/main.ts': mounted(listen) }, { args: ['--no-types'] })
    const url = await dev.url()
    const [, inspector = ''] = await dev.output.match(/inspector +(http\S+)/)
    expect((await fetch(inspector)).status).toBe(200)
    expect((await fetch(url)).status).toBe(401)
  })

  it('and waits for a fix of a mistake in its options', async () => {
    const listen = (options: string): string =>
      mounted(`app.register(mcp, ${options})\napp.listen({ port: 0 }, (error) => { if (error) process.exit(1) })`)
    const { project, dev } = runProject({ 'src/main.ts': listen(setUp.replace('scan', 'scans')) })
    await dev.output.match(/cannot start: waiting for a change[^]*scans/)
    project.write('src/main.ts', listen(setUp))
    await dev.url()
    expect(dev.output.text.match(/cannot start/g)).toHaveLength(1)
  })

  it('only at safe addresses', async () => {
    const listen = `await app.register(mcp, ${setUp})\nawait app.listen({ port: 0, host: '0.0.0.0' })`
    const { dev } = runProject({ 'src/main.ts': mounted(listen) })
    expect(await dev.output.match(/cannot start: waiting for a change[^]*allowedHosts[^]*└/)).not.toBeNull()
  })
})
