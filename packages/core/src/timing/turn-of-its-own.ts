type Step = () => void

/** What has begun comes first: of all that waits, little is then held as more than its bytes. */
const begun: Step[] = []
const waiting: Step[] = []
let isScheduled = false

/**
 * Resolves in a turn of the event loop that no other long step has, of any transport or server of this process: others are
 * served in between, however many of them come at once.
 *
 * @param isFirst Begins something, which waits for the steps of all that has begun.
 */
export function turnOfItsOwn(isFirst = false): Promise<void> {
  return new Promise((resolve) => {
    if (isFirst) waiting.push(resolve)
    else begun.push(resolve)
    if (!isScheduled) setImmediate(takeOne)
    isScheduled = true
  })
}

function takeOne(): void {
  const step = begun.shift() ?? waiting.shift()
  step?.()
  isScheduled = begun.length + waiting.length > 0
  if (isScheduled) setImmediate(takeOne)
}
