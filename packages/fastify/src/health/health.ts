import { isForeignHost, startLongTimer, tryLog } from '@toolwright/core/host'
import { Diagnostics } from '@toolwright/core/options'
import type { FastifyBaseLogger, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { type Checks, type HealthCheck, type HealthOptions, readHealthOptions } from './check-health.js'

type Outcome = 'ok' | 'failed' | 'timeout'

type Outcomes = Readonly<Record<string, Outcome>>

// The plugin is async, so that an invalid route rejects the promise of the plugin. Otherwise, the error would end the
// process.
const plugin: FastifyPluginAsync<HealthOptions> = async (app, options) => {
  const diagnostics = new Diagnostics()
  const { path, details, cacheMs, checks: all, timeoutMs } = readHealthOptions(options, diagnostics)
  diagnostics.throwIfAny()
  const log = new HealthLog(app.log)
  const findOutcomes = cached(() => runChecks(all, timeoutMs, log), cacheMs)
  // Probes come every few seconds and would fill the log.
  const route = { logLevel: 'warn' as const, exposeHeadRoute: true, onRequest: rejectForeignHost }
  app.get(`${path}/live`, route, (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }))
  app.get(`${path}/ready`, route, async (_request, reply) => {
    const checks = await findOutcomes()
    const isReady = Object.values(checks).every((outcome) => outcome === 'ok')
    reply.code(isReady ? 200 : 503).header('cache-control', 'no-store')
    return { status: isReady ? 'ok' : 'unavailable', ...(details ? { checks } : {}) }
  })
}

/**
 * `GET /health/live` answers 200 while the event loop is not blocked. `GET /health/ready` answers 200 when every check
 * passes, and 503 otherwise. While the application closes, both routes answer 503. The routes need no authentication;
 * their answers name the checks only with `details`.
 *
 * @throws BootError that lists every mistake in its options.
 */
export const health = fastifyPlugin(plugin, { name: '@toolwright/fastify/health', fastify: '5.x' })

function rejectForeignHost(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  if (isForeignHost(request.server, request.host)) void reply.code(403).send({ status: 'forbidden' })
  else done()
}

async function runChecks(checks: Checks, timeoutMs: number, log: HealthLog): Promise<Outcomes> {
  const entries = Object.entries(checks).map(async ([name, check]) => [
    name,
    await runCheck(name, check, timeoutMs, log),
  ])
  return Object.fromEntries(await Promise.all(entries)) as Outcomes
}

async function runCheck(name: string, check: HealthCheck, timeoutMs: number, log: HealthLog): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Outcome>((resolve) => {
    timer = startLongTimer(() => resolve('timeout'), timeoutMs)
  })
  try {
    const outcome = await Promise.race([runToEnd(check), late])
    if (outcome === 'ok') log.passed(name)
    else log.failed(name, { outcome })
    return outcome
  } catch (error) {
    log.failed(name, { outcome: 'failed', err: error })
    return 'failed'
  } finally {
    clearTimeout(timer)
  }
}

async function runToEnd(check: HealthCheck): Promise<Outcome> {
  return (await check()) === false ? 'failed' : 'ok'
}

/** Logs only when a check begins to fail and when it passes again. One line for each probe would fill the log. */
class HealthLog {
  readonly #failing = new Set<string>()

  constructor(private readonly log: FastifyBaseLogger) {}

  failed(check: string, why: object): void {
    if (this.#failing.has(check)) return
    this.#failing.add(check)
    tryLog(() => this.log.warn({ check, ...why }, 'a health check fails: not ready'))
  }

  passed(check: string): void {
    if (this.#failing.delete(check)) tryLog(() => this.log.info({ check }, 'a health check passes again'))
  }
}

/** Caches the outcomes for `freshMs`. Concurrent requests wait for the same checks. */
function cached(find: () => Promise<Outcomes>, freshMs: number): () => Promise<Outcomes> {
  let last: Promise<Outcomes> | null = null
  let foundAt = Number.NEGATIVE_INFINITY
  return () => {
    if (last !== null && performance.now() - foundAt < freshMs) return last
    const finding = find()
    last = finding
    // Until the checks have ended, all requests wait for them.
    foundAt = Number.POSITIVE_INFINITY
    void finding.finally(() => {
      foundAt = performance.now()
    })
    return finding
  }
}
