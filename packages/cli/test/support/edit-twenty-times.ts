import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@modelcontextprotocol/client'
import type { Output } from '../../../../test/support/output.js'
import { answerTools, type DevProject, toolModule } from './dev-project.js'

/** A client that calls a tool over and over. */
export class CallingClient {
  /** Number of answered calls. */
  calls = 0
  /** Errors of calls. */
  readonly lost: unknown[] = []
  answer = ''
  #isRunning = true
  readonly #output: Output
  readonly #done: Promise<void>

  constructor(
    readonly name: string,
    readonly client: Client,
    /** Output of the server. */
    output: Output,
  ) {
    this.#output = output
    this.#done = this.#run()
  }

  async stop(): Promise<void> {
    this.#isRunning = false
    await this.#done
  }

  /** Waits until a call has this answer. @returns Milliseconds. */
  async sees(answer: string): Promise<number> {
    const began = performance.now()
    while (this.answer !== answer) {
      if (performance.now() - began > 30_000) {
        const output = this.#output.text.replaceAll(/^tools\/call.*\n/gm, '')
        throw new Error(`${this.name} still gets '${this.answer}' instead of '${answer}':\n${output}`)
      }
      // oxlint-disable-next-line no-await-in-loop
      await sleep(1)
    }
    return performance.now() - began
  }

  /** Waits until the server has printed that many failed reloads. */
  async seesFailures(count: number): Promise<void> {
    await this.#output.match(new RegExp(`(?:the previous version keeps serving[^]*){${count}}`))
  }

  async #run(): Promise<void> {
    // oxlint-disable no-await-in-loop
    while (this.#isRunning) {
      try {
        const { content } = await this.client.callTool({ name: 'answer' })
        this.answer = (content[0] as { text: string }).text
        this.calls++
      } catch (error) {
        this.lost.push(error)
      }
      await sleep(1)
    }
    // oxlint-enable no-await-in-loop
  }
}

const tools = 'src/tools/answer-tools.ts'
const extra = 'src/tools/extra-tools.ts'

/** Number of the edit that adds a file, and of the one that deletes it. */
const added = 7
const deleted = 14

/**
 * Edits a project while clients call it: in place and by rename in turn, every fifth time with a syntax error. One edit adds a
 * file, and one deletes it.
 *
 * @returns Milliseconds from each save to the new answer, of all clients, sorted.
 */
export async function editTwentyTimes(project: DevProject, clients: readonly CallingClient[]): Promise<number[]> {
  const waited: number[] = []
  // oxlint-disable no-await-in-loop
  for (let edit = 1; edit <= 20; edit++) {
    const answer = `edit ${edit}`
    const text = edit % 5 === 0 ? `${answerTools(answer)}\nexport class {` : answerTools(answer)
    if (edit === added) project.write(extra, toolModule('extra'))
    if (edit === deleted) project.delete(extra)
    if (edit % 2 === 0) project.write(tools, text)
    else project.writeByRename(tools, text)
    if (edit % 5 === 0) await Promise.all(clients.map((client) => client.seesFailures(edit / 5)))
    else waited.push(...(await Promise.all(clients.map((client) => client.sees(`answer ${answer}`)))))
    if (edit === added || edit === deleted) await checkExtra(clients, edit === added)
  }
  // oxlint-enable no-await-in-loop
  return waited.toSorted((one, other) => one - other)
}

async function checkExtra(clients: readonly CallingClient[], isServed: boolean): Promise<void> {
  for (const { client, name } of clients) {
    for (let waited = 0; ; waited += 20) {
      // oxlint-disable-next-line no-await-in-loop
      const { tools: listed } = await client.listTools()
      if (listed.some((tool) => tool.name === 'extra') === isServed) break
      if (waited > 30_000) throw new Error(`${name}: extra ${isServed ? 'is missing' : 'is still served'}`)
      // oxlint-disable-next-line no-await-in-loop
      await sleep(20)
    }
  }
}

export function medianOf(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
