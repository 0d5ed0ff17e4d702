import { execFile } from 'node:child_process'
import { Agent, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { supportedVersions } from '@toolwright/core/host'
import { type SampleProcess, spawnSample, startSample } from './sample.js'

const execute = promisify(execFile)
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }

/**
 * Tests the behaviour of every sample as a program.
 *
 * @param others The lines that it prints of prompts and resources.
 */
export function describeProgram(sample: string, tools: readonly string[], others = ''): void {
  describe('as a program', () => {
    let running: SampleProcess & { url: URL }

    // The last test ends the program.
    beforeAll(async () => {
      running = await startSample(sample)
    })
    afterAll(() => running.stop())

    it('prints its URL, its revisions and its features', () => {
      expect(running.output.text).toContain(
        `${sample} 1.0.0 serving MCP at ${running.url.href}\n` +
          `  revisions  ${supportedVersions.join(', ')}\n` +
          `  tools      ${tools.join(', ')}\n${others}`,
      )
      expect(running.url.hostname).toBe('127.0.0.1')
      expect(running.url.pathname).toBe('/mcp')
    })

    it('prints a short curl command that works when it is pasted', async () => {
      const [command] = await running.output.match(/curl .*\\\n.*\n/)
      const { stdout } = await execute('sh', ['-c', command])
      const { result } = JSON.parse(stdout) as { result: { tools: readonly { name: string }[] } }
      expect(command.length).toBeLessThan(200)
      // Tools of other transports are printed with the transport.
      const listed = tools.filter((tool) => !tool.includes(' '))
      expect(result.tools.map(({ name }) => name)).toEqual(listed)
    })

    it('ends with code 0 on SIGTERM, although a client keeps its connection', async () => {
      const agent = new Agent({ keepAlive: true })
      expect(await post(running.url, agent)).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
      const began = performance.now()
      expect(await running.stop()).toEqual({ code: 0, signal: null })
      // The program waits neither until the connection times out, nor until it is cut.
      expect(performance.now() - began).toBeLessThan(3000)
      agent.destroy()
    })
  })
}

/** Tests the behaviour of every sample as a program on stdio. All samples use the same package, so tests run one sample. */
export function describeStdioProgram(sample: string): void {
  describe('as a program on stdio', () => {
    it('prints messages only, and ends with code 0 at the end of its input', async () => {
      const running = spawnSample(sample, ['--stdio'])
      let output = ''
      running.child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString()
      })
      running.child.stdin.end(`${JSON.stringify(ping)}\n`)
      expect(await running.ended).toEqual({ code: 0, signal: null })
      expect(output).toBe('{"jsonrpc":"2.0","id":1,"result":{}}\n')
    })

    it('ends with code 0 on SIGTERM', async () => {
      const running = spawnSample(sample, ['--stdio'])
      running.child.stdin.write(`${JSON.stringify(ping)}\n`)
      await running.output.match(/"result":\{\}/)
      expect(await running.stop()).toEqual({ code: 0, signal: null })
    })
  })
}

function post(url: URL, agent: Agent): Promise<unknown> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, method: 'POST', headers }, (response) => resolve(json(response)))
    sent.on('error', reject)
    sent.end(JSON.stringify(ping))
  })
}
