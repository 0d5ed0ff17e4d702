// Ends a program in every way, including ways that must not end it.
import { setTimeout } from 'node:timers/promises'
import { call, modern, readFlags, startProgram, untilInFlight, untilRejected } from './program.mjs'

const stories = {
  /** A call that exceeds the drain timeout. */
  deadline: async () => {
    const program = await startProgram({ env: { DRAIN_TIMEOUT_MS: '300' } })
    const answers = [call(program.url, modern('wait', { ms: 60_000 }))]
    await untilInFlight(program, 1)
    program.child.kill('SIGTERM')
    return { program, answers, endsWithinMs: 800 }
  },
  'second-signal': async () => {
    const program = await startProgram()
    const answers = [call(program.url, modern('wait', { ms: 60_000 }))]
    await untilInFlight(program, 1)
    program.child.kill('SIGTERM')
    // Two signals at once count as one.
    await untilRejected(program)
    program.child.kill('SIGTERM')
    return { program, answers, endsWithinMs: 500 }
  },
  'stray-rejection': async () => {
    const program = await startProgram({ env: { LOG: 'error' } })
    const first = await call(program.url, modern('stray'))
    await setTimeout(100)
    const second = await call(program.url, modern('echo', { text: 'next' }))
    program.child.kill('SIGTERM')
    return { program, answers: [first, second], endsWithinMs: 500 }
  },
  /** A call in flight is answered nevertheless. */
  'uncaught-exception': async () => {
    const program = await startProgram({ env: { LOG: 'fatal' } })
    const waiting = call(program.url, modern('wait', { ms: 300 }))
    await untilInFlight(program, 1)
    return { program, answers: [waiting, call(program.url, modern('throw_later'))], endsWithinMs: 1000 }
  },
}

// `--slack-ms`: additional time, because a process starts more slowly while other tests run.
const flags = readFlags({ 'slack-ms': 0 })
const report = {}
for (const [name, tell] of Object.entries(stories)) report[name] = await endOf(await tell())
process.stdout.write(`${JSON.stringify(report)}\n`)
process.exitCode = Object.values(report).every(({ isInTime }) => isInTime) ? 0 : 1

async function endOf({ program, answers, endsWithinMs }) {
  const began = performance.now()
  const answered = await Promise.allSettled(answers)
  const { code, at } = await program.ended
  const logged = program
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line).msg)
  return {
    code,
    answers: answered.filter(({ value }) => value?.status === 200).length,
    ...(logged.length === 0 ? {} : { logged }),
    isInTime: at - began < endsWithinMs + flags['slack-ms'],
  }
}
