import type { CallHook, FeatureCall } from 'toolwright'
import type { DevParts } from 'toolwright/dev'
import { cut, oneLine } from '../terminal.js'
import type { Terminal } from './terminal.js'

const methods: Readonly<Record<FeatureCall['kind'], string>> = {
  tool: 'tools/call',
  prompt: 'prompts/get',
  resource: 'resources/read',
  completion: 'completion/complete',
}

const maxMessage = 200
const maxName = 100

/** Creates a hook that prints one line for each call: `tools/call count_words 2 ms ok claude-code`. */
export function printCalls(terminal: Terminal, failureKindOf: DevParts['failureKindOf']): CallHook {
  const print = (call: FeatureCall, durationMs: number, outcome: string, reason = ''): void => {
    const { kind, name, uri, context } = call
    const words = [
      terminal.style('dim', methods[kind]),
      terminal.style('bold', cut(oneLine(uri ?? name), maxName)),
      terminal.style('dim', formatDuration(durationMs)),
      outcome,
      terminal.style('dim', cut(oneLine(context.clientInfo?.name ?? 'unnamed client'), maxName)),
      reason,
    ]
    terminal.print(words.filter((word) => word !== '').join(' '))
  }
  return {
    onCompleted: (call, result, durationMs) => {
      const isError = (result as { readonly isError?: unknown } | null)?.isError === true
      print(call, durationMs, isError ? terminal.style('red', 'error') : terminal.style('green', 'ok'))
    },
    onFailed: (call, error, durationMs) => {
      const message = cut(oneLine(error.message), maxMessage)
      print(call, durationMs, terminal.style('red', failureKindOf(error)), message)
    },
    onInputRequired: (call, durationMs) => print(call, durationMs, terminal.style('yellow', 'input-required')),
  }
}

/** Formats a duration: `0.4 ms`, `12 ms`, `3.2 s`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 9.95) return `${Number(durationMs.toFixed(1))} ms`
  return durationMs < 1000 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1000).toFixed(1)} s`
}
