// A custom bus that fails: clients miss its messages, and nothing else is affected.

import { Writable } from 'node:stream'
import { type Change, type ChangeBus, InProcessChangeBus } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { type Task, type TaskBus } from '@toolwright/tasks'
import { pino } from 'pino'
import { openRawClient } from '../support/raw-client.js'

const settled = () => new Promise((resolve) => setImmediate(resolve))
const boom = new Error('the broker is gone')

function openLog() {
  const lines: string[] = []
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(chunk.toString())
      done()
    },
  })
  return { lines, logger: pino(stream) }
}

describe('a change bus', () => {
  const failing: [string, (change: Change) => void | Promise<void>][] = [
    [
      'throws',
      () => {
        throw boom
      },
    ],
    ['rejects', async () => Promise.reject(boom)],
  ]

  it.each(failing)('that %s is logged, and accepts the next change', async (_how, fail) => {
    const { lines, logger } = openLog()
    const inner = new InProcessChangeBus()
    const changeBus: ChangeBus = {
      publish: (change) => (change.kind === 'prompts' ? fail(change) : inner.publish(change)),
      subscribe: (listener) => inner.subscribe(listener),
    }
    const server = await createServer({ name: 'test', version: '1', controllers: [], changeBus, logger })
    server.catalog.addTool({ name: 'tool', handler: () => '' })
    await using client = openRawClient(server)
    void client.modern('subscriptions/listen', { notifications: { toolsListChanged: true } })
    await client.next()
    server.changes.promptsChanged()
    server.changes.toolsChanged()
    expect((await client.next()).method).toBe('notifications/tools/list_changed')
    await settled()
    expect(lines).toEqual([
      expect.stringContaining('publishing to a bus failed, so some clients are not notified of a change'),
    ])
    expect(lines[0]).toContain('the broker is gone')
    await server.close()
  })

  it('with a throwing listener still calls the other listeners', async () => {
    const { lines, logger } = openLog()
    const changeBus = new InProcessChangeBus()
    changeBus.subscribe(() => {
      throw boom
    })
    const server = await createServer({ name: 'test', version: '1', controllers: [], changeBus, logger })
    const heard: Change[] = []
    changeBus.subscribe((change) => void heard.push(change))
    server.changes.toolsChanged()
    server.changes.promptsChanged()
    await settled()
    expect(heard).toEqual([{ kind: 'tools' }, { kind: 'prompts' }])
    // The first line is about the request for decisions of other nodes, which the server sends at boot.
    expect(lines).toHaveLength(3)
    await server.close()
  })
})

describe('a task bus', () => {
  const extension = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

  it('that fails is logged, and the task ends with the result of its handler', async () => {
    const { lines, logger } = openLog()
    const bus: TaskBus = {
      publish: () => {
        throw boom
      },
      subscribe: () => () => undefined,
    }
    const server = await createServer({ name: 'test', version: '1', controllers: [], tasks: { bus }, logger })
    server.catalog.addTool({ name: 'long', task: 'required', handler: () => 'done' })
    await using client = openRawClient(server)
    const { result } = await client.modern('tools/call', { name: 'long' }, extension)
    await settled()
    const { result: task } = await client.modern('tasks/get', { taskId: result.taskId }, extension)
    expect(task).toMatchObject({ status: 'completed', result: { content: [{ text: 'done' }] } })
    expect(lines).toEqual([
      expect.stringContaining('publishing to a bus failed, so some clients are not notified of a change'),
    ])
    await server.close()
  })

  it('has no listeners of a closed server', async () => {
    const listeners = new Set<(task: Task) => void>()
    const bus: TaskBus = {
      publish: () => undefined,
      subscribe: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    }
    const server = await createServer({ name: 'test', version: '1', controllers: [], tasks: { bus } })
    expect(listeners.size).toBe(1)
    await server.close()
    expect(listeners.size).toBe(0)
  })
})
