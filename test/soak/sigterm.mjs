// SIGTERM under load: every accepted call is answered, every stream ends gracefully, and the process ends on time.
import {
  call,
  keepAlive,
  legacy,
  modern,
  openSession,
  readAll,
  readFlags,
  send,
  startProgram,
  untilInFlight,
  untilRejected,
} from './program.mjs'

const flags = readFlags({ rounds: 20, calls: 50, streams: 5, idle: 20 })

const results = []
for (let round = 0; round < flags.rounds; round++) results.push(await drainOnce())
const worst = (name) => Math.max(...results.map((result) => result[name]))
const sum = (name) => results.reduce((total, result) => total + result[name], 0)
const report = {
  rounds: flags.rounds,
  calls: flags.rounds * flags.calls,
  lost: sum('lost'),
  cutStreams: sum('cutStreams'),
  badExits: sum('badExit'),
  servedWhileClosing: sum('servedWhileClosing'),
  worstExitAfterLastCallMs: Math.round(worst('exitAfterLastCallMs')),
}
process.stdout.write(`${JSON.stringify(report)}\n`)
const isGood = report.lost + report.cutStreams + report.badExits + report.servedWhileClosing === 0
process.exitCode = isGood && report.worstExitAfterLastCallMs <= 500 ? 0 : 1

async function drainOnce() {
  const program = await startProgram()
  const { url } = program
  const idle = keepAlive()
  await Promise.all(Array.from({ length: flags.idle }, () => call(url, modern('echo', { text: 'x' }), { agent: idle })))
  const listens = await openStreams(() =>
    send(url, modern(undefined, { notifications: { toolsListChanged: true } }, 'subscriptions/listen')),
  )
  const gets = await openStreams(async () => {
    const session = await openSession(url)
    return send(url, { headers: { 'mcp-protocol-version': '2025-11-25', ...session } }, { method: 'GET' })
  })
  let lastAnswerAt = 0
  const agent = keepAlive()
  const calls = Array.from({ length: flags.calls }, async (_, index) => {
    const message = index % 2 === 0 ? modern('hold') : legacy('tools/call', { name: 'hold' })
    const { status, text } = await call(url, message, { agent })
    lastAnswerAt = performance.now()
    return status === 200 && text.includes('waited')
  })
  await untilInFlight(program, flags.calls)
  program.child.kill('SIGTERM')
  await untilRejected(program)
  const late = await lateAnswers(url, { agent: idle })
  await program.ask('release')
  const answered = await Promise.allSettled(calls)
  const { code, at } = await program.ended
  const ends = await Promise.allSettled([...listens.map(endsWithResult), ...gets.map(endsWhole)])
  for (const each of [idle, agent]) each.destroy()
  return {
    lost: answered.filter(({ value }) => value !== true).length,
    cutStreams: ends.filter(({ value }) => value !== true).length,
    badExit: code === 0 ? 0 : 1,
    servedWhileClosing: late.filter(({ status, headers }) => status !== 503 || headers.connection !== 'close').length,
    exitAfterLastCallMs: at - lastAnswerAt,
  }
}

function openStreams(open) {
  return Promise.all(
    Array.from({ length: flags.streams }, async () => {
      const response = await open()
      // Reads the stream from now on: later messages arrive separately.
      const whole = readAll(response)
      return { response, whole }
    }),
  )
}

/** The responses to a load balancer and a new client meanwhile. */
function lateAnswers(url, options) {
  return Promise.all([
    call(new URL('/health/ready', url), {}, { ...options, method: 'GET' }),
    call(url, modern('echo', { text: 'late' }), options),
  ])
}

async function endsWithResult({ whole }) {
  return (await whole).trimEnd().split('\n').at(-1).includes('"resultType":"complete"')
}

async function endsWhole({ response, whole }) {
  await whole
  return response.complete
}
