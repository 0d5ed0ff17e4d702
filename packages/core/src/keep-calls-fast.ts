/**
 * What served the latest call, one object of each kind, until the next call. Nobody reads it.
 *
 * When a collection of all garbage finds no object of some shape, V8 throws away what it has compiled for that shape. A
 * call that is answered at once is never there to be found, so the code of the whole request would go, that of Node and
 * of Fastify included: the next thousand calls would take some four times as long. What is held here keeps it, by way of
 * the exchange also that of a transport's request and answer.
 */
export const held: Record<'exchange' | 'hookedRun' | 'aroundRun' | 'handlerEnd' | 'toolOutcome', object | null> = {
  exchange: null,
  hookedRun: null,
  aroundRun: null,
  handlerEnd: null,
  toolOutcome: null,
}

/** When a server closes, so that nothing of it stays. The next call of another one is held again. */
export function letGo(): void {
  for (const kind of Object.keys(held)) held[kind as keyof typeof held] = null
}
