// One call without output before its result, through the official clients of both generations, in both eras: longer
// than Node's fetch waits for the first byte of a response, which is 300 seconds.
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { readFlags, startProgram } from './program.mjs'

const flags = readFlags({ seconds: 320, 'keep-alive-ms': 15_000 })

const ms = flags.seconds * 1000
const timeout = ms + 60_000
const info = { name: 'patient', version: '1.0.0' }
const request = { name: 'wait', arguments: { ms } }

const withSessions = { KEEP_ALIVE_MS: String(flags['keep-alive-ms']), LIMITS: `{"callTimeoutMs":${timeout}}` }
const withoutSessions = { ...withSessions, SESSIONS: 'false' }

async function old(url, fetch) {
  const client = new OldClient(info)
  await client.connect(new OldTransport(url, { fetch }))
  return { call: () => client.callTool(request, undefined, { timeout }), close: () => client.close() }
}

const fresh = (mode) => async (url, fetch) => {
  const client = new NewClient(info, { versionNegotiation: { mode } })
  await client.connect(new NewTransport(url, { fetch }))
  return { call: () => client.callTool(request, { timeout }), close: () => client.close() }
}

const lanes = {
  '1.x, in a session': [withSessions, old],
  '1.x, without a session': [withoutSessions, old],
  '2.x, legacy, in a session': [withSessions, fresh('legacy')],
  '2.x, legacy, without a session': [withoutSessions, fresh('legacy')],
  '2.x, modern': [withSessions, fresh('auto')],
}

async function run([env, connect]) {
  const program = await startProgram({ env })
  let contentType = null
  const watched = async (input, init) => {
    const response = await fetch(input, init)
    if (String(init?.body).includes('"tools/call"')) contentType = response.headers.get('content-type')
    return response
  }
  const began = performance.now()
  try {
    const { call, close } = await connect(program.url, watched)
    const { content } = await call()
    await close()
    const seconds = Math.round((performance.now() - began) / 1000)
    return { text: content[0].text, contentType, isLongEnough: seconds >= Math.floor(flags.seconds) }
  } catch (error) {
    return { error: String(error), cause: String(error.cause) }
  } finally {
    program.child.kill()
    await program.ended
  }
}

const results = await Promise.all(Object.entries(lanes).map(async ([name, lane]) => [name, await run(lane)]))
process.stdout.write(`${JSON.stringify(Object.fromEntries(results))}\n`)
const isGood = ({ text, contentType, isLongEnough }) =>
  text === 'waited' && contentType === 'text/event-stream' && isLongEnough
process.exitCode = results.every(([, result]) => isGood(result)) ? 0 : 1
