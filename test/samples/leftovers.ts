import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { SampleProcess } from '../support/sample.js'

const reporter = pathToFileURL(join(__dirname, 'report-leftovers.mjs')).href

/** Variables with which a sample prints the resources that it leaves open. */
export const reportingLeftovers = { NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${reporter}`.trim() }

/** Returns the resources that a stopped sample has left open. */
export async function leftOpenBy({ output }: SampleProcess): Promise<readonly string[]> {
  const [, left = ''] = await output.match(/^left: (.*)$/m)
  // The official client closes a program with a timer of two seconds, which it does not clear and which keeps no process alive.
  return (JSON.parse(left) as string[]).filter((stack) => !/modelcontextprotocol.client.dist.stdio/.test(stack))
}
