// Finds what a closed server leaves in its process: timers, handles, and listeners of the process.
import { createHook } from 'node:async_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Kinds of resources that a closed server must not have. Timers are listed even if they do not keep the process alive. */
const kinds = ['Timeout', 'TCPSERVERWRAP', 'TCPWRAP', 'PIPEWRAP', 'PROCESSWRAP', 'SIGNALWRAP', 'FSEVENTWRAP', 'Worker']
/** Timers that Node keeps for all servers of a process: for the header `Date`, and for the time limits of `fetch`. */
const expected = /at utcDate|FastTimer/
const open = new Map()
createHook({
  init: (id, kind) => {
    if (!kinds.includes(kind)) return
    const stack = new Error().stack.split('\n').slice(3).join('\n')
    if (!expected.test(stack)) open.set(id, `${kind} ${stack}`)
  },
  destroy: (id) => open.delete(id),
}).enable()

/** Returns the resources that are still open after some turns of the event loop, in which Node reports what was closed. */
export async function stillOpen() {
  for (let turn = 0; turn < 500 && open.size > 0; turn++) await nextTurn()
  return [...open.values()]
}

function listeners() {
  const emitters = { process, stdin: process.stdin, stdout: process.stdout, stderr: process.stderr }
  return Object.entries(emitters).flatMap(([name, emitter]) =>
    emitter.eventNames().map((event) => `${name} ${String(event)}: ${emitter.listenerCount(event)}`),
  )
}

/** Runs a function that opens, uses and closes a server. @returns The handles, timers and listeners that remain. */
export async function leftBy(run) {
  // The first access opens a stream of the process.
  listeners()
  // The first run loads modules.
  await run()
  open.clear()
  const before = listeners()
  await run()
  return [...(await stillOpen()), ...listeners().filter((listener) => !before.includes(listener))]
}
