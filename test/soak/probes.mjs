// Figures of a program that cannot be seen from outside.
import 'reflect-metadata'
import { createHook } from 'node:async_hooks'
import { openSync, readSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { container } from 'tsyringe'

/**
 * Bytes after garbage collection: of the heap, and of buffers. With a few kibibytes, eight collections are needed to
 * reduce the noise.
 */
export async function readMemory(collections = 8) {
  for (let round = 0; round < collections; round++) {
    globalThis.gc()
    await setTimeout(150)
  }
  const { heapUsed, external } = process.memoryUsage()
  return { heap: heapUsed, held: heapUsed + external }
}

/** Counts the containers that are created from now on. */
export function countContainers() {
  const made = { count: 0 }
  const prototype = Object.getPrototypeOf(container)
  const { createChildContainer } = prototype
  prototype.createChildContainer = function create() {
    made.count++
    return createChildContainer.call(this)
  }
  return made
}

/** Counts all running timers; `process.getActiveResourcesInfo()` omits unreferenced ones. */
export function countTimers() {
  const running = new Set()
  createHook({
    init: (id, type) => type === 'Timeout' && running.add(id),
    destroy: (id) => running.delete(id),
  }).enable()
  return running
}

/** The connections of a server. */
export function watchConnections(server) {
  const open = new Set()
  let most = 0
  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      most = Math.max(most, socket.bytesRead)
    })
  })
  /** Bytes read from open connections, and the maximum of those closed since the last call. */
  const read = () => {
    const answer = { now: [...open].reduce((sum, { bytesRead }) => sum + bytesRead, 0), most }
    most = 0
    return answer
  }
  return { open, read }
}

/** Numbers of listeners: of the process, of a server, and the maximum of its connections. */
export function countListeners(server, connections) {
  const count = (emitter) => emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0)
  return {
    process: count(process),
    server: count(server),
    connection: Math.max(0, ...[...connections.open].map(count)),
  }
}

/**
 * Measures each turn of the event loop: by the clock, and in processor time of its thread, which excludes the time of
 * other programs. Only Linux has the latter; elsewhere it is the former.
 */
export function watchTurns() {
  const loop = monitorEventLoopDelay({ resolution: 1 })
  const thread = process.platform === 'linux' ? openSync(`/proc/self/task/${process.pid}/schedstat`) : null
  const read = Buffer.alloc(100)
  let isWatching = false
  let longest = 0
  const usedMs = () => Number.parseInt(read.toString('latin1', 0, readSync(thread, read, 0, read.length, 0))) / 1e6
  const watch = (before) => {
    const now = usedMs()
    longest = Math.max(longest, now - before)
    if (isWatching) setImmediate(watch, now)
  }
  return {
    begin() {
      loop.enable()
      loop.reset()
      longest = 0
      isWatching = true
      if (thread !== null) watch(usedMs())
    },
    /** Milliseconds of the longest turn since `begin`. */
    end() {
      loop.disable()
      isWatching = false
      const clock = loop.max / 1e6
      return { clock, processor: thread === null ? clock : longest }
    },
  }
}
