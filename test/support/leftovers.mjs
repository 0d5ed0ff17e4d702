// Finds what a closed server leaves in its process: timers, handles, and listeners of the process.
import { createHook } from 'node:async_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Kinds of resources that a closed server must not have. Timers are listed even if they do not keep the process alive. */
const kinds = ['Timeout', 'TCPSERVERWRAP', 'TCPWRAP', 'PIPEWRAP', 'PROCESSWRAP', 'SIGNALWRAP', 'FSEVENTWRAP', 'Worker']
const open = new Map()
createHook({
  init: (id, kind) => {
    if (!kinds.includes(kind)) return
    const stack = new Error().stack.split('\n').slice(3).join('\n')
    // The timer with which Node caches the header `Date`, for all servers of the process.
    if (!stack.includes('at utcDate')) open.set(id, `${kind} ${stack}`)
  },
  destroy: (id) => open.delete(id),
}).enable()

function listeners() {
  const emitters = { process, stdin: process.stdin, stdout: process.stdout, stderr: process.stderr }
  return Object.entries(emitters).flatMap(([name, emitter]) =>
    emitter.eventNames().map((event) => `${name} ${String(event)}: ${emitter.listenerCount(event)}`),
  )
}

// The first access opens a stream of the process.
listeners()

/** Runs a function that opens, uses and closes a server. @returns The handles, timers and listeners that remain. */
export async function leftBy(run) {
  // The first run loads modules.
  await run()
  open.clear()
  const before = listeners()
  await run()
  // The sockets of the clients need some turns to close.
  for (let turn = 0; turn < 500 && open.size > 0; turn++) await nextTurn()
  return [...open.values(), ...listeners().filter((listener) => !before.includes(listener))]
}
