/**
 * Keeps this process from sleeping while it waits for `work`. A server pays for waking its client with each answer, the
 * more often the longer the client has nothing to do: a slower server would be charged for being slower. A client that
 * is somewhere else on the network costs neither of them anything.
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
