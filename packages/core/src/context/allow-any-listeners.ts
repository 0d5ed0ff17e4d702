import { setMaxListeners } from 'node:events'

/** Lets any number listen to the signal, as Node 22 does by itself: Node 20 warns of a leak when more than ten do. */
export function allowAnyListeners(signal: AbortSignal): void {
  // One that is not Node's own has no such limit, nor a way to set it.
  if (signal instanceof EventTarget) setMaxListeners(0, signal)
}
