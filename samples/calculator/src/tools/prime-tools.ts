import { setImmediate as otherWork } from 'node:timers/promises'
import {
  injectable,
  McpContext,
  McpTool,
  type ProgressUpdate,
  type Static,
  Type,
} from 'toolwright'
import { glyphIcons } from '../icons.js'
import { Ledger } from '../ledger.js'

const PrimesInput = Type.Object({
  upTo: Type.Integer({
    minimum: 0,
    maximum: 100_000_000,
    description: 'Largest number to check',
  }),
})
const PrimesOutput = Type.Object({ count: Type.Integer() })

/**
 * Numbers that are checked between two turns of the event loop: about 10
 * milliseconds of work.
 */
const sliceSize = 25_000

@injectable()
export class PrimeTools {
  constructor(private readonly ledger: Ledger) {}

  /**
   * The values that the generator yields are reported as progress. A cancelled
   * call ends at its next `yield`.
   */
  @McpTool({
    title: 'Count Primes',
    description:
      'Counts the prime numbers up to a limit. Large limits take a minute; progress is reported',
    icons: glyphIcons('π'),
    annotations: {
      readOnlyHint: true,
      idempotentHint: true,
      openWorldHint: false,
    },
    input: PrimesInput,
    output: PrimesOutput,
    timeoutMs: 5 * 60_000,
  })
  async *countPrimes(
    { upTo }: Static<typeof PrimesInput>,
    { log }: McpContext,
  ): AsyncGenerator<ProgressUpdate, Static<typeof PrimesOutput>> {
    let count = 0
    let reached = 0
    try {
      while (reached < upTo) {
        const end = Math.min(reached + sliceSize, upTo)
        count += countBetween(reached + 1, end)
        reached = end
        yield {
          progress: reached,
          total: upTo,
          message: `${count} primes up to ${reached}`,
        }
        await otherWork()
      }
    } finally {
      log.info({ upTo, reached }, 'counted primes')
    }
    this.ledger.note(`primes up to ${upTo}`, count)
    return { count }
  }
}

function countBetween(first: number, last: number): number {
  let count = 0
  for (let number = first; number <= last; number++)
    if (isPrime(number)) count++
  return count
}

function isPrime(number: number): boolean {
  if (number < 4) return number > 1
  if (number % 2 === 0) return false
  for (let divisor = 3; divisor * divisor <= number; divisor += 2)
    if (number % divisor === 0) return false
  return true
}
