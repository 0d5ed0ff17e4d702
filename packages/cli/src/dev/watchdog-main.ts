// The program of the class Watchdog. Its argument is the id of the watched process, which keeps its standard input open.
import { createInterface } from 'node:readline'
import { killGroup } from './kill-group.js'

/** Milliseconds that the watched process has to handle a signal. It needs less, unless its event loop is blocked. */
const patienceMs = 4000

const watched = Number(process.argv[2])
let group: number | null = null

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => setTimeout(end, patienceMs))
createInterface(process.stdin)
  .on('line', (line) => {
    group = Number(line)
  })
  .on('close', () => {
    if (group !== null) killGroup(group)
    process.exit()
  })

function end(): void {
  process.stderr.write('The program blocks the event loop, so it was killed.\n')
  try {
    process.kill(watched, 'SIGKILL')
  } catch {
    // The process has ended meanwhile.
  }
}
