import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/client'
import { type Connection, connect } from '../client/connect.js'
import { type Flags, flagOf } from '../client/flags.js'
import { isLoopback } from '../client/login-urls.js'
import { readTools } from '../client/read-tools.js'
import { CommandError, exitCodes } from '../command-error.js'
import { checkAuthorization, maxRequestMs } from './authorization.js'
import { type Finding, fail, ok, warn } from './finding.js'
import { checkTools } from './tools.js'

const maxEventMs = 5000

const renewalDays = 21

export async function checkRunningServer(url: URL, flags: Flags): Promise<readonly Finding[]> {
  const before = [await checkTransport(url), ...(isLoopback(url) ? await checkHosts(url) : [])]
  const authorization = await checkAuthorization(url)
  try {
    const connection = await connect({ kind: 'http', url }, flags)
    try {
      return [...before, ...authorization, ...(await checkConnected(connection, flags))]
    } finally {
      await connection.close()
    }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    if (error.exitCode !== exitCodes.unreachable) throw error
    // A server that requires credentials has no fault here: its challenge was checked above.
    const isChallenge = authorization.length > 0 && /: the server requires /.test(error.message)
    const result = isChallenge
      ? warn(
          'connect',
          'the tools were not checked',
          'Pass --bearer TOKEN or --header, or log in with `toolwright list URL --login`. To check the login, add --login.',
        )
      : fail('connect', error.message, 'Correct the URL, or start the server.')
    return [...before, ...authorization, result]
  }
}

async function checkConnected(connection: Connection, flags: Flags): Promise<readonly Finding[]> {
  const { client } = connection
  const { name = 'server', version = '' } = client.serverInfo ?? {}
  const connected = ok('connect', `${name} ${version}, revision ${client.protocolVersion}`)
  const tools = await readTools(connection)
  return [connected, ...checkTools(tools, connection.reasons()), ...(await checkStream(connection, flags))]
}

async function checkTransport(url: URL): Promise<Finding> {
  if (url.protocol === 'http:') {
    return isLoopback(url)
      ? ok('tls', 'not needed on this machine')
      : fail('tls', 'requests and tokens are sent unencrypted', 'Put a proxy with TLS in front of the server.')
  }
  try {
    const expires = await readExpiry(url)
    const days = Math.floor((expires.getTime() - Date.now()) / 86_400_000)
    const text = `the certificate is valid until ${expires.toISOString().slice(0, 10)}`
    return days < renewalDays
      ? warn('tls', `${text}: ${days} days`, 'Renew it, and check the automatic renewal.')
      : ok('tls', text)
  } catch (error) {
    return fail('tls', (error as Error).message, 'Install a certificate that clients trust, with its whole chain.')
  }
}

function readExpiry(url: URL): Promise<Date> {
  return new Promise((resolve, reject) => {
    const host = url.hostname.replaceAll(/[[\]]/g, '')
    const socket = connectTls({ host, port: Number(url.port || 443), servername: host, timeout: maxRequestMs }, () => {
      const { valid_to: expires } = socket.getPeerCertificate()
      socket.destroy()
      resolve(new Date(expires))
    })
    socket.once('error', reject)
    socket.once('timeout', () => socket.destroy(new Error('no TLS handshake within 10 s')))
  })
}

/** Checks that pages of other sites cannot use the server through the user's browser. */
async function checkHosts(url: URL): Promise<readonly Finding[]> {
  const foreign = 'attacker.example'
  const [host, origin] = await Promise.all([
    readStatus(url, { host: foreign }),
    readStatus(url, { origin: `https://${foreign}` }),
  ])
  if (host === null || origin === null) return []
  const accepts = (status: number): boolean => status < 400
  return [
    accepts(host)
      ? fail('hosts', `requests for the host ${foreign} are served`, 'Reject unknown hosts: set `allowedHosts`.')
      : ok('hosts', `requests for other hosts are rejected (${host})`),
    accepts(origin)
      ? fail(
          'origins',
          `pages of https://${foreign} can call the server`,
          'Reject unknown origins: set `allowedOrigins`.',
        )
      : ok('origins', `pages of other sites are rejected (${origin})`),
  ]
}

/** Sends a request with a header that `fetch` does not allow. */
function readStatus(url: URL, headers: Readonly<Record<string, string>>): Promise<number | null> {
  return new Promise((resolve) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp
    const all = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }
    const request = send(url, { method: 'POST', headers: all, timeout: maxRequestMs }, (response) => {
      response.resume()
      resolve(response.statusCode ?? null)
    })
    request.once('error', () => resolve(null))
    request.once('timeout', () => request.destroy())
    request.end(JSON.stringify(ping))
  })
}

const ping = { jsonrpc: '2.0', id: 1, method: 'initialize', params: handshake() }

function handshake(): object {
  return {
    protocolVersion: LATEST_PROTOCOL_VERSION,
    capabilities: {},
    clientInfo: { name: 'toolwright-doctor', version: '1' },
  }
}

/** Opens an event stream. The first event must arrive before the stream ends. */
async function checkStream({ client }: Connection, flags: Flags): Promise<readonly Finding[]> {
  if (client.era === 'legacy') return []
  const started = performance.now()
  try {
    const subscription = await client.official.listen({ toolsListChanged: true }, { timeout: maxEventMs })
    const milliseconds = Math.round(performance.now() - started)
    const first = ok('buffering', `the first event of a stream arrived after ${milliseconds} ms`)
    const seconds = Number(flagOf(flags, 'watch') ?? 0)
    if (!(seconds > 0)) {
      await subscription.close()
      return [first]
    }
    const end = await Promise.race([subscription.closed, sleep(seconds * 1000, 'open' as const)])
    await subscription.close()
    const lasted = Math.round((performance.now() - started) / 1000)
    return [
      first,
      end === 'open'
        ? ok('time-outs', `a stream stayed open for ${lasted} s`)
        : fail(
            'time-outs',
            `a stream was closed after ${lasted} s`,
            'Raise the read timeout of the proxy, or lower `keepAliveMs`.',
          ),
    ]
  } catch (error) {
    const text = `no event of a stream arrived within ${maxEventMs / 1000} s: ${(error as Error).message}`
    return [fail('buffering', text, 'Turn off the buffering of responses in the proxy (nginx: proxy_buffering off).')]
  }
}
