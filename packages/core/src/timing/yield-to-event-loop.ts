type Step = () => void

type LongStep = 'read' | 'serve' | 'answer'

const waiting: Readonly<Record<LongStep, Step[]>> = { read: [], serve: [], answer: [] }
/** The first queue is served next. The two queues alternate, so that a steady flow of long responses cannot block reading. */
let alternating = [waiting.answer, waiting.read] as const
let isScheduled = false

/**
 * Resolves in a turn of the event loop without another long step, on any transport or server of the process. Other events are
 * handled between two long steps, even if many long messages arrive together. Parsed messages are served before other messages
 * are parsed, because a parsed message takes more memory than its bytes.
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
