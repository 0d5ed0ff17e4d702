import { once } from 'node:events'
import type { Readable, Stream } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { safeText } from '../terminal.js'

const maxLength = 20_000

const lastOutputMs = 300

export interface ErrorOutput {
  /** Waits for the last output of a program that has ended. @returns The error, without log lines. */
  text(): Promise<string>
  /** Returns the messages of warnings and errors in the log so far. */
  warnings(): readonly string[]
}

export function readErrorOutput(stream: Stream | null): ErrorOutput {
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
    warnings: () =>
      printed
        .split('\n')
        .map(readWarning)
        .filter((message) => message !== ''),
  }
}

const warnLevel = 40

function readWarning(line: string): string {
  if (!line.startsWith('{"level"')) return ''
  try {
    const { level, msg } = JSON.parse(line) as { readonly level?: unknown; readonly msg?: unknown }
    return typeof level === 'number' && level >= warnLevel && typeof msg === 'string' ? safeText(msg) : ''
  } catch {
    return ''
  }
}

export function extractError(printed: string): string {
  const lines = safeText(printed)
    .split('\n')
    .filter((line) => !line.startsWith('{"level"'))
  const first = lines.findIndex((line) => /(?:^|\[)BootError: /.test(line))
  if (first === -1) return lines.join('\n').trim()
  const numbered = lines.slice(first + 1)
  const end = numbered.findIndex((line) => !/^ {2}(?:\d+\. | {3})/.test(line))
  const message = [lines[first] ?? '', ...numbered.slice(0, end === -1 ? undefined : end)].join('\n')
  // Node prints an error without a stack in brackets.
  return message.replace(/^BootError: /, '').replace(/^\[BootError: ([^]*)\](?: \{)?$/, '$1')
}
