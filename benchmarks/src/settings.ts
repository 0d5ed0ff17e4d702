import { parseArgs } from 'node:util'

export interface Settings {
  /** Number of times that the servers of a row are started. */
  readonly launches: number
  /** Number of times that each server is timed in a launch. */
  readonly rounds: number
  /** Seconds of load in a round. */
  readonly seconds: number
  /** Seconds of load on each server before its first round. */
  readonly warmUpSeconds: number
  readonly connections: number
  /** Text that the title of a row has to contain. */
  readonly only: string
}

const help = `npm run bench -- [options]

  --quick            short rounds: rough figures in half a minute
  --only TEXT        only rows whose title contains TEXT, such as "tools/call, modern" or "boot"
  --launches N       how often the servers of a row are started
  --rounds N         how often each server is timed in a launch
  --seconds N        seconds of load in one round
  --connections N    connections of the load generator, at most 900
`

/** Reads the command line. @returns `null` if the help was requested, which is printed. */
export function readSettings(): Settings | null {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      launches: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      connections: { type: 'string', default: '32' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(help)
    return null
  }
  return {
    launches: readNumber('launches', values.launches ?? (values.quick ? '1' : '3'), 1),
    rounds: readNumber('rounds', values.rounds ?? (values.quick ? '3' : '4'), 1),
    seconds: readNumber('seconds', values.seconds ?? (values.quick ? '0.4' : '1'), 0.1),
    // V8 has optimised a server after some 100,000 requests. Before that, a server with more code looks slower than it is.
    warmUpSeconds: values.quick ? 2 : 4,
    connections: readNumber('connections', values.connections, 1),
    only: values.only.toLowerCase(),
  }
}

function readNumber(option: string, text: string, least: number): number {
  const value = Number(text)
  if (value >= least && value <= 900) return value
  throw new Error(`--${option} is '${text}'. Give a number from ${least} to 900.`)
}
