import { Readable } from 'node:stream'
import type { Logger } from 'pino'
import type { McpContext } from '../context/mcp-context.js'
import type { ProgressUpdate } from '../context/progress.js'
import { describeValue } from '../errors/describe-value.js'
import { tryLog } from '../errors/log-failure.js'
import { type Counter, rejectOversized } from '../limits/counter.js'
import { isSliceOver, nextSlice } from '../timing/time-slice.js'

type ProgressGenerator = AsyncGenerator<unknown, unknown> | Generator<unknown, unknown>

type Drained = ProgressGenerator | AsyncIterable<unknown>

export interface DrainLimit {
  readonly what: string
  readonly maxResultBytes: number
  readonly oversizedResults: Counter
  readonly log: Logger
}

export function isDrained(value: unknown): value is Drained {
  return typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || isGenerator(value))
}

/** Whether the value is a generator: only generators have all three methods. */
function isGenerator(value: object): value is ProgressGenerator {
  const { next, return: end, throw: fail } = value as Partial<Record<string, unknown>>
  return typeof next === 'function' && typeof end === 'function' && typeof fail === 'function'
}

/**
 * Runs a generator, or reads an async iterable, to its end. A cancelled call stops at the next item. Returns other
 * values unchanged.
 */
export function drain(returned: unknown, context: McpContext, limit: DrainLimit): unknown {
  if (!isDrained(returned)) return returned
  return isGenerator(returned) ? drainGenerator(returned, context, limit) : drainIterable(returned, context, limit)
}

async function drainGenerator(generator: ProgressGenerator, context: McpContext, limit: DrainLimit): Promise<unknown> {
  let isReported = false
  while (true) {
    const { done, value } = await generator.next()
    if (done === true) return drain(value, context, limit)
    if (isProgress(value)) context.progress(value)
    else if (!isReported) {
      isReported = true
      // A yielded string can be part of a result, which the log must not contain.
      const found = typeof value === 'object' ? describeValue(value) : `a ${typeof value}`
      const message = `${limit.what} yielded ${found} that is not a progress update. It was dropped. Yield { progress, total, message }, and return the result`
      tryLog(() => context.log.error(message))
    }
    if (isSliceOver()) await nextSlice()
    if (context.signal.aborted) {
      await generator.return(undefined)
      throw context.signal.reason
    }
  }
}

function isProgress(value: unknown): value is ProgressUpdate {
  return typeof value === 'object' && value !== null && Number.isFinite((value as Partial<ProgressUpdate>).progress)
}

/** Collects the items as an array, or the chunks of a stream as one string or as bytes. */
async function drainIterable(
  iterable: AsyncIterable<unknown>,
  { signal }: McpContext,
  limit: DrainLimit,
): Promise<unknown> {
  const source = open(iterable)
  const stop = (): void => source.stop(signal.reason)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  const items: unknown[] = []
  let bytes = 0
  try {
    for (let read = await source.next(); read.done !== true; read = await source.next()) {
      signal.throwIfAborted()
      bytes += leastBytes(read.value)
      if (bytes > limit.maxResultBytes) {
        const rejection = rejectOversized(limit.what, limit.maxResultBytes, limit)
        source.stop(rejection)
        throw rejection
      }
      items.push(read.value)
      if (isSliceOver()) await nextSlice()
    }
  } finally {
    signal.removeEventListener('abort', stop)
  }
  signal.throwIfAborted()
  return source.isStream ? join(items) : items
}

/** Minimum size of an item in the result, in bytes. The exact size is measured when the result is written. */
function leastBytes(item: unknown): number {
  if (typeof item === 'string') return item.length
  if (item instanceof Uint8Array) return item.byteLength
  try {
    const json = JSON.stringify(item) as string | undefined
    return json?.length ?? 1
  } catch {
    // The item is not serializable, but a hook can convert the result later.
    return 1
  }
}

interface Source {
  readonly isStream: boolean
  next(): Promise<{ done?: boolean | undefined; value?: unknown }>
  stop(reason: unknown): void
}

function open(iterable: AsyncIterable<unknown>): Source {
  if (isWebStream(iterable)) {
    const reader = iterable.getReader()
    const stop = (reason: unknown): void => void reader.cancel(reason).catch(() => undefined)
    return { isStream: true, next: () => reader.read(), stop }
  }
  const iterator = iterable[Symbol.asyncIterator]()
  if (iterable instanceof Readable) {
    return { isStream: true, next: () => iterator.next(), stop: () => iterable.destroy() }
  }
  const stop = (): void => void Promise.resolve(iterator.return?.()).catch(() => undefined)
  return { isStream: false, next: () => iterator.next(), stop }
}

function isWebStream(value: object): value is ReadableStream<unknown> & AsyncIterable<unknown> {
  return typeof (value as Partial<ReadableStream>).getReader === 'function'
}

function join(chunks: readonly unknown[]): unknown {
  if (chunks.every((chunk) => typeof chunk === 'string')) return chunks.join('')
  if (!chunks.every(isText)) return chunks
  return Buffer.concat(chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)))
}

function isText(chunk: unknown): chunk is string | Uint8Array {
  return typeof chunk === 'string' || chunk instanceof Uint8Array
}
