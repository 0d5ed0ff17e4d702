/**
 * Keeps this process from sleeping while it waits for `work`. A server spends CPU time on waking its client, and the client
 * of a slower server sleeps more often, so the slower server would pay more. A client on another machine causes no such
 * cost.
 */
export async function stayAwake<Result>(work: () => Promise<Result>): Promise<Result> {
  let isOver = false
  const spin = (): void => {
    if (!isOver) setImmediate(spin)
  }
  spin()
  try {
    return await work()
  } finally {
    isOver = true
  }
}
