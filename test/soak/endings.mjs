// The ways in which a program ends, or does not.
import { setTimeout } from 'node:timers/promises'
import { call, modern, readFlags, startProgram, untilInFlight } from './program.mjs'

const stories = {
  /** A call that takes longer than it gets. */
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
    await untilRefused(program)
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
  /** A call in flight is answered all the same. */
  'uncaught-exception': async () => {
    const program = await startProgram({ env: { LOG: 'fatal' } })
    const waiting = call(program.url, modern('wait', { ms: 300 }))
    await untilInFlight(program, 1)
    return { program, answers: [waiting, call(program.url, modern('throw_later'))], endsWithinMs: 1000 }
  },
}

/** Until the signal has arrived: two that come at once are one. */
async function untilRefused({ url }) {
  while ((await call(url, modern('echo', { text: 'x' }))).status !== 503) await setTimeout(10)
}

const [story] = Object.keys(readFlags({}))
const { program, answers, endsWithinMs } = await stories[story]()
const began = performance.now()
const answered = await Promise.allSettled(answers)
const { code, at } = await program.ended
const logged = program
  .output()
  .split('\n')
  .filter((line) => line.startsWith('{'))
  .map((line) => JSON.parse(line).msg)
process.stdout.write(
  `${JSON.stringify({
    code,
    answers: answered.filter(({ value }) => value?.status === 200).length,
    ...(logged.length === 0 ? {} : { logged }),
    isInTime: at - began < endsWithinMs,
  })}\n`,
)
