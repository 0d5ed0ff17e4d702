import { parseArgs } from 'node:util'

export interface Settings {
  /** How often each server of a row is timed. */
  readonly rounds: number
  /** Seconds of load in a round. */
  readonly seconds: number
  /** Seconds of load on each server before the first round. */
  readonly warmUpSeconds: number
  readonly connections: number
  /** Only rows whose title contains it. */
  readonly only: string
}

const help = `npm run bench -- [options]

  --quick            short rounds: rough figures in half a minute
  --only TEXT        only rows whose title contains TEXT, such as "tools/call, modern" or "boot"
  --rounds N         how often each server is timed in a row
  --seconds N        seconds of load in one round
  --connections N    connections of the load generator, at most 900
`

/** Reads the command line. `null` when it asked for help, which is printed. */
export function readSettings(): Settings | null {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
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
    rounds: readNumber('rounds', values.rounds ?? (values.quick ? '3' : '5'), 1),
    seconds: readNumber('seconds', values.seconds ?? (values.quick ? '0.4' : '1.2'), 0.1),
    warmUpSeconds: values.quick ? 0.6 : 1.2,
    connections: readNumber('connections', values.connections, 1),
    only: values.only.toLowerCase(),
  }
}

function readNumber(option: string, text: string, least: number): number {
  const value = Number(text)
  if (value >= least && value <= 900) return value
  throw new Error(`--${option} is '${text}'. Give a number from ${least} to 900.`)
}
