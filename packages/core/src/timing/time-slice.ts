/** Milliseconds of one turn of the event loop for long work. A single step can take longer. */
const sliceMs = 5

let inNextTurn: ((run: () => void) => void) | null = null

/** End of the slice of this turn, as a value of `performance.now()`; `null` if no long work has run in this turn. */
let endsAt: number | null = null
const waiting: (() => void)[] = []

/**
 * Whether long work has used up its slice of this turn of the event loop. If so, wait for {@link nextSlice}: other calls,
 * cancellations and timeouts run between two slices. All long work of the process shares one slice in each turn: otherwise,
 * a turn with a hundred calls would take a hundred slices.
 */
export function isSliceOver(): boolean {
  if (endsAt === null) begin(sliceMs)
  return performance.now() >= (endsAt as number)
}

/** Resolves in a later turn of the event loop. In each turn, one of the waiting calls continues. */
export function nextSlice(): Promise<void> {
  if (endsAt === null) begin(sliceMs)
  return new Promise((resolve) => waiting.push(resolve))
}

function begin(milliseconds: number): void {
  endsAt = performance.now() + milliseconds
  inNextTurn ??= createScheduler()
  inNextTurn(takeNext)
}

function takeNext(): void {
  endsAt = null
  const next = waiting.shift()
  if (next === undefined) return
  // With many waiting calls, each slice is shorter, so that each call continues as often.
  begin(sliceMs / (waiting.length + 1))
  next()
}

function createScheduler(): (run: () => void) => void {
  const { setImmediate: inTurn } = globalThis as { readonly setImmediate?: (run: () => void) => unknown }
  if (inTurn !== undefined) return inTurn
  const { port1, port2 } = new MessageChannel()
  const scheduled: (() => void)[] = []
  port1.addEventListener('message', () => scheduled.shift()?.())
  port1.start()
  return (run) => {
    scheduled.push(run)
    port2.postMessage(null)
  }
}
