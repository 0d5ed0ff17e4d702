import { once } from 'node:events'
import type { Readable, Stream } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { safeText } from '../terminal.js'

/** Maximum number of characters of a program's error output that are kept. */
const maxLength = 20_000

/** Milliseconds to wait for the last output of a program. */
const lastOutputMs = 300

/** Collects what a program prints to stderr, to show it if the program fails. */
export function readErrorOutput(stream: Stream | null): { text(): Promise<string> } {
  let printed = ''
  const readable = stream as Readable | null
  readable?.setEncoding('utf8').on('data', (chunk: string) => {
    printed = (printed + chunk).slice(-maxLength)
  })
  return {
    async text() {
      // The program has ended, but the pipe may still contain its last output. The client leaves the pipe open, so the
      // pipe can be read here.
      if (readable !== null && !readable.readableEnded) await Promise.race([once(readable, 'end'), sleep(lastOutputMs)])
      return extractError(printed)
    },
  }
}

/** Removes log lines, and the lines that Node prints around an uncaught error of the framework. */
export function extractError(printed: string): string {
  const lines = safeText(printed)
    .split('\n')
    .filter((line) => !line.startsWith('{"level"'))
  const first = lines.findIndex((line) => /(?:^|\[)BootError: /.test(line))
  if (first === -1) return lines.join('\n').trim()
  const numbered = lines.slice(first + 1)
  const end = numbered.findIndex((line) => !/^ {2}(?:\d+\. | {3})/.test(line))
  const message = [lines[first] ?? '', ...numbered.slice(0, end === -1 ? undefined : end)].join('\n')
  return message.replace(/^\[?BootError: /, '').replace(/\](?: \{)?$/, '')
}
