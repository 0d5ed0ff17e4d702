type Step = () => void

/** What a long message waits for: to be read, to be served, or for its answer to be written. */
type LongStep = 'read' | 'serve' | 'answer'

const waiting: Readonly<Record<LongStep, Step[]>> = { read: [], serve: [], answer: [] }
/** The one whose turn it is comes first. Else a steady flow of long answers would keep long messages from ever being read. */
let alternating = [waiting.answer, waiting.read] as const
let isScheduled = false

/**
 * Resolves in a turn of the event loop that no other long step has, of any transport or server of this process: others are
 * served in between, however many of them come at once. What was read is served before anything else: of all that waits,
 * little is then held as more than its bytes.
 */
export function yieldToEventLoop(step: LongStep): Promise<void> {
  return new Promise((resolve) => {
    waiting[step].push(resolve)
    if (!isScheduled) setImmediate(takeOne)
    isScheduled = true
  })
}

function takeOne(): void {
  const step = waiting.serve.shift() ?? takeAlternating()
  step?.()
  isScheduled = Object.values(waiting).some(({ length }) => length > 0)
  if (isScheduled) setImmediate(takeOne)
}

function takeAlternating(): Step | undefined {
  const [first, second] = alternating
  alternating = [second, first]
  return first.shift() ?? second.shift()
}
