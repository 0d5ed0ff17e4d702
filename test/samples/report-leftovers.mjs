// Loaded before a sample: when the process ends, prints the resources that the closed server has left open.
import { createHook } from 'node:async_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Kinds of resources that a closed server must not have. Timers are listed even if they do not keep the process alive. */
const kinds = ['Timeout', 'TCPSERVERWRAP', 'TCPWRAP', 'PROCESSWRAP', 'FSEVENTWRAP', 'Worker']
/** Timers of Node, for the header `Date` and for the limits of `fetch`, and the deadline of the exit. */
const expected = /at utcDate|FastTimer|signals\.[jt]s/
const open = new Map()
createHook({
  init: (id, kind) => {
    if (!kinds.includes(kind)) return
    const stack = new Error().stack.split('\n').slice(3).join('\n')
    if (!expected.test(stack)) open.set(id, `${kind} ${stack}`)
  },
  destroy: (id) => open.delete(id),
}).enable()

// The program exits as soon as its server is closed. Node reports destroyed resources some turns later.
const exit = process.exit.bind(process)
process.exit = async (code) => {
  for (let turn = 0; turn < 500 && open.size > 0; turn++) await nextTurn()
  console.log(`left: ${JSON.stringify([...open.values()])}`)
  exit(code)
}
