// Starts test/soak/server.mjs and sends raw HTTP requests to it.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** The program, once it listens. With `pipe`, it also serves WebSockets, and `child.stdio[4]` as stdio. */
export async function startProgram({ env = {}, execArgv = [], pipe = false } = {}) {
  const child = fork(fileURLToPath(new URL('./server.mjs', import.meta.url)), {
    env: { ...process.env, PORT: '0', ...(pipe ? { PIPE: '4' } : {}), ...env },
    execArgv,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc', pipe ? 'pipe' : 'ignore'],
  })
  const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal, at: performance.now() }))
  let output = ''
  const url = await new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output += chunk
      const [, found] = /serving MCP at (\S+)\n/.exec(output) ?? []
      if (found !== undefined) resolve(new URL(found))
    })
    child.once('exit', () => reject(new Error(`the program ended: ${output}`)))
  })
  const ask = async (question) => {
    child.send(question)
    const [answer] = await once(child, 'message')
    return answer
  }
  return {
    child,
    url,
    ended,
    ask,
    output: () => output,
    descriptors: () => readdirSync(`/proc/${child.pid}/fd`).length,
  }
}

/** Resolves once this many requests are in flight: on a busy machine, a sent request may not have begun. */
export async function untilInFlight(program, count) {
  for (;;) {
    const { inFlight } = await program.ask('metrics')
    if (inFlight.value >= count) return
    await setTimeout(10)
  }
}

/** Resolves once the program closes. */
export async function untilRejected({ url }) {
  while ((await call(url, modern('echo', { text: 'x' }))).status !== 503) await setTimeout(10)
}

export function modern(name, args = {}, method = 'tools/call') {
  const params = method === 'tools/call' ? { name, arguments: args } : args
  return {
    body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: modernMeta } },
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name === undefined ? {} : { 'mcp-name': name }),
    },
  }
}

export function legacy(method, params = {}, headers = {}, id = 1) {
  const body = { jsonrpc: '2.0', method, params, ...(id === null ? {} : { id }) }
  return { body, headers: { 'mcp-protocol-version': '2025-11-25', ...headers } }
}

/** One request; resolves with the response as soon as its head has arrived. */
export function send(url, { body, headers = {} }, { agent, method = 'POST' } = {}) {
  const accepted = {
    accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const text = body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  return sendText(url, text, { agent, method, headers: { ...accepted, ...headers } })
}

function sendText(url, text, options) {
  return new Promise((resolve, reject) => {
    const sent = request(url, options)
    sent.once('response', resolve)
    sent.once('error', reject)
    sent.end(text)
  })
}

export async function readAll(response) {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  return text
}

/** One exchange, with the whole response. */
export async function call(url, message, options) {
  const response = await send(url, message, options)
  return { status: response.statusCode, headers: response.headers, text: await readAll(response) }
}

/** An exchange with a prepared body and headers. */
export async function post(url, { body, headers }, agent) {
  const response = await sendText(url, body, { method: 'POST', agent, headers })
  return { status: response.statusCode, text: await readAll(response) }
}

export async function openSession(url, options) {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'soak', version: '1' } }
  const { headers } = await call(url, legacy('initialize', params), options)
  const session = { 'mcp-session-id': headers['mcp-session-id'] }
  await call(url, legacy('notifications/initialized', {}, session, null), options)
  return session
}

/** The quantile of the values: 0.5 returns the median. */
export function quantile(values, share) {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]
}

/** Runs a function this many times, with the given number of workers. */
export async function repeat(count, workers, run) {
  let left = count
  const worker = async () => {
    while (left-- > 0) await run()
  }
  await Promise.all(Array.from({ length: workers }, worker))
}

export function keepAlive(maxSockets = Number.POSITIVE_INFINITY) {
  return new Agent({ keepAlive: true, maxSockets })
}

/** `--name value` as numbers, with defaults. */
export function readFlags(defaults) {
  const flags = { ...defaults }
  for (let index = 2; index < process.argv.length; index += 2) {
    flags[process.argv[index].slice(2)] = Number(process.argv[index + 1])
  }
  return flags
}

/** Resources that the program updates when it floods its clients: 2 KiB each time. */
export function floodedUri(index) {
  return `mem://${index}/${'x'.repeat(2000)}`
}
