// What a program says of itself that nobody can see from outside.
import 'reflect-metadata'
import { createHook } from 'node:async_hooks'
import { openSync, readSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { container } from 'tsyringe'

/**
 * Bytes once there is nothing left to collect: those of the heap, and those of buffers besides. A few kibibytes take eight
 * collections to be told from noise.
 */
export async function readMemory(collections = 8) {
  for (let round = 0; round < collections; round++) {
    globalThis.gc()
    await setTimeout(150)
  }
  const { heapUsed, external } = process.memoryUsage()
  return { heap: heapUsed, held: heapUsed + external }
}

/** Counts the containers that are made from now on. */
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

/** Counts the timers that run: all of them, while `process.getActiveResourcesInfo()` has none that is unreferenced. */
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
  /** Bytes that were read of those that are open, and the most of any that was closed since this was asked last. */
  const read = () => {
    const answer = { now: [...open].reduce((sum, { bytesRead }) => sum + bytesRead, 0), most }
    most = 0
    return answer
  }
  return { open, read }
}

/** How many listeners there are: of the process, of a server, and the most that one of its connections has. */
export function countListeners(server, connections) {
  const count = (emitter) => emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0)
  return {
    process: count(process),
    server: count(server),
    connection: Math.max(0, ...[...connections.open].map(count)),
  }
}

/**
 * Watches how long each turn of the event loop takes: by the clock, and in processor time of its thread, which is the same
 * but for what other programs take of it. Only Linux tells the latter; elsewhere it is the former.
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
    /** Milliseconds of the longest since `begin`. */
    end() {
      loop.disable()
      isWatching = false
      const clock = loop.max / 1e6
      return { clock, processor: thread === null ? clock : longest }
    },
  }
}
