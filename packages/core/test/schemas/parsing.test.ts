import { Authorize, type CallHook, type FeatureCall, McpTool, type Policy, result, ToolError } from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
import { pino } from 'pino'
import { z } from 'zod'
import { until } from '../../../../test/support/until.js'
import { openRawClient } from '../support/raw-client.js'
import { serveTool } from './tool-with-schema.js'

/** Counts its runs, and turns a string into a date. */
function countingInput() {
  const runs: string[] = []
  const day = z.string().transform((text) => {
    runs.push(text)
    return new Date(text)
  })
  return { input: z.object({ day }), runs }
}

const day = '2026-01-31'
const date = new Date(day)

describe('arguments of a Standard Schema', () => {
  it('are parsed once, and policies, hooks and the handler see the parsed arguments', async () => {
    const { input, runs } = countingInput()
    const seen: unknown[] = []
    const policy: Policy = ({ arguments: args }) => {
      seen.push(['policy', args])
      return true
    }
    class Tools {
      @McpTool({ input, maxConcurrent: 1 })
      @Authorize({ policy })
      book(args: { day: Date }): string {
        seen.push(['handler', args])
        return 'booked'
      }
    }
    const hook: CallHook = {
      onInvoking: (call) => void seen.push(['onInvoking', call.arguments]),
      around: (call, next) => {
        seen.push(['around', call.arguments])
        return next()
      },
      onCompleted: (call) => void seen.push(['onCompleted', call.arguments]),
    }
    await using server = await serve({ controllers: [Tools], hooks: [hook] })
    expect(await server.callTool('book', { day }, { principal: { subject: 'ada' } })).toMatchObject({
      content: [{ text: 'booked' }],
    })
    const args = { day: date }
    expect(seen).toEqual([
      ['policy', args],
      ['onInvoking', args],
      ['around', args],
      ['handler', args],
      ['onCompleted', args],
    ])
    expect(runs).toEqual([day])
  })

  it('do not let a hook change the arguments of the handler', async () => {
    const { input } = countingInput()
    const hook: CallHook = {
      onInvoking: (call) => {
        expect(Object.isFrozen(call.arguments)).toBe(true)
      },
    }
    await using tool = await serveTool({ input }, { server: { hooks: [hook] } })
    expect(await tool.call({ day })).toEqual({ text: 'done' })
  })

  it('reach hooks unfrozen when a transformation made a cycle', async () => {
    const input = z.object({ a: z.string() }).transform((value) => {
      const cycle: { a: string; self?: unknown } = { ...value }
      cycle.self = cycle
      return cycle
    })
    const seen: FeatureCall['arguments'][] = []
    await using tool = await serveTool(
      { input },
      { server: { hooks: [{ onInvoking: (call) => void seen.push(call.arguments) }] } },
    )
    expect(await tool.call({ a: 'x' })).toEqual({ text: 'done' })
    expect(seen).toEqual(tool.received)
  })

  it('are parsed when a hook replaces them, from the input side', async () => {
    const { input, runs } = countingInput()
    const seen: unknown[] = []
    const hook: CallHook = {
      around: async (call, next) => {
        const returned = await next({ day: '2027-01-01' })
        seen.push(call.arguments)
        return returned
      },
    }
    await using tool = await serveTool({ input }, { server: { hooks: [hook] } })
    expect(await tool.call({ day })).toEqual({ text: 'done' })
    expect([tool.received, seen]).toEqual([[{ day: new Date('2027-01-01') }], [{ day: new Date('2027-01-01') }]])
    expect(runs).toEqual([day, '2027-01-01'])
  })

  it('are parsed when a hook replaces them and the schema is asynchronous', async () => {
    const input = z.object({ room: z.string().refine(async (room) => room !== 'B', 'is taken') })
    const failures: string[] = []
    const hook: CallHook = {
      around: async (_call, next) => {
        try {
          return await next({ room: 'B' })
        } catch (error) {
          failures.push((error as Error).message)
          throw error
        }
      },
    }
    await using tool = await serveTool({ input }, { server: { hooks: [hook] } })
    expect((await tool.call({ room: 'A' })).isError).toBe(true)
    expect(failures).toEqual([`next was called with invalid arguments for Tool 'run': 'room': is taken`])
    expect(tool.received).toEqual([])
  })

  it('are not parsed above the rate limit', async () => {
    const checked: string[] = []
    const room = z.string().refine(async (text) => {
      checked.push(text)
      return true
    })
    await using tool = await serveTool({ input: z.object({ room }), rateLimit: { calls: 1, windowMs: 60_000 } })
    await tool.call({ room: 'A' })
    await expect(tool.call({ room: 'B' })).rejects.toThrow("Tool 'run': at most 1 in 60 s")
    // Zod runs an asynchronous refinement twice.
    expect(new Set(checked)).toEqual(new Set(['A']))
  })

  it('are not parsed for callers without the role of the tool', async () => {
    const { input, runs } = countingInput()
    class Tools {
      @McpTool({ input })
      @Authorize({ roles: ['admin'] })
      book(_args: { day: Date }): void {}
    }
    await using server = await serve({ controllers: [Tools] })
    await expect(server.callTool('book', { day }, { principal: { subject: 'ada' } })).rejects.toThrow('Forbidden')
    expect(runs).toEqual([])
  })

  it('are bounded in messages, and cannot forge lines', async () => {
    const issues = Array.from({ length: 50 }, (_, index) => ({
      code: 'custom',
      message: `${index}\n${'x'.repeat(500)}`,
    }))
    const input = z.object({ a: z.string() }).superRefine((_value, context) => {
      for (const issue of issues) context.addIssue(issue as never)
    })
    await using tool = await serveTool({ input })
    const { text } = await tool.call({ a: '' })
    expect(text.length).toBeLessThan(700)
    expect(text).not.toContain('\n')
    expect(text).toContain('\\u000a')
  })
})

describe('an asynchronous schema', () => {
  const never = z.object({ room: z.string().refine(() => new Promise<boolean>(() => undefined)) })

  it('is awaited', async () => {
    const input = z.object({ room: z.string().refine(async (room) => room !== 'B', 'is taken') })
    await using tool = await serveTool({ input })
    expect(await tool.call({ room: 'A' })).toEqual({ text: 'done' })
    expect(await tool.call({ room: 'B' })).toMatchObject({
      text: "Invalid arguments for tool 'run': 'room': is taken.",
    })
  })

  it('ends with the time limit of the call', async () => {
    await using tool = await serveTool({ input: never, timeoutMs: 30 })
    expect(await tool.call({ room: 'A' })).toMatchObject({
      isError: true,
      text: "Tool 'run' did not finish within 0.03 seconds and was stopped.",
    })
    expect(tool.received).toEqual([])
  })

  it('leaves only the rest of the time limit to the handler', async () => {
    const wait = (ms: number) => new Promise((resolve) => void setTimeout(resolve, ms))
    const input = z.object({ room: z.string().refine(() => wait(60).then(() => true)) })
    await using tool = await serveTool({ input, timeoutMs: 90 }, { handler: () => wait(60) })
    expect(await tool.call({ room: 'A' })).toMatchObject({ isError: true })
    expect(tool.received).toHaveLength(1)
  })

  it('ends with the cancellation of the call', async () => {
    let isRunning = false
    const room = z.string().refine(() => {
      isRunning = true
      return new Promise<boolean>(() => undefined)
    })
    await using tool = await serveTool({ input: z.object({ room }) })
    const stop = new AbortController()
    const calling = tool.connection.client.callTool({ name: 'run', arguments: { room: 'A' } }, { signal: stop.signal })
    await until(() => isRunning)
    stop.abort()
    await expect(calling).rejects.toThrow('abort')
    expect(tool.received).toEqual([])
  })

  it('holds the permit of its call until it has settled', async () => {
    const open: ((isFree: boolean) => void)[] = []
    const room = z.string().refine(() => new Promise<boolean>((resolve) => void open.push(resolve)))
    await using tool = await serveTool({ input: z.object({ room }), timeoutMs: 20, maxConcurrent: 1 })
    await tool.call({ room: 'A' })
    const rejected = await tool.call({ room: 'B' }).catch((error: Error) => ({ isError: true, text: error.message }))
    expect(rejected.text).toMatch(/concurrent|at once|busy|limit/i)
    // Zod starts an asynchronous refinement twice.
    for (const resolve of open) resolve(true)
    await until(async () => (await tool.call({ room: 'C' }).catch(() => undefined)) !== undefined)
  })

  it('of a result is awaited within the time limit', async () => {
    await using tool = await serveTool({ output: never, timeoutMs: 30 }, { handler: () => ({ room: 'A' }) })
    expect(await tool.call()).toMatchObject({ isError: true, text: expect.stringContaining('did not finish') })
  })
})

describe('a schema whose function throws', () => {
  const broken = z.object({
    a: z.string().transform(() => {
      throw new Error('secret of the database')
    }),
  })

  it('fails the call, and the client learns nothing', async () => {
    const failed: string[] = []
    const hook: CallHook = { onFailed: (_call, error) => void failed.push(error.message) }
    await using tool = await serveTool({ input: broken }, { server: { hooks: [hook] } })
    const { isError, text } = await tool.call({ a: 'x' })
    expect(isError).toBe(true)
    expect(text).toMatch(/^Tool 'run' failed\. The cause is in the server's log/)
    expect(text).not.toContain('secret')
    await until(() => failed.length > 0)
    expect(failed).toEqual(['secret of the database'])
  })

  it('fails the call for a result, too', async () => {
    const output = z.object({
      a: z.string().refine(() => {
        throw new Error('secret')
      }),
    })
    await using tool = await serveTool({ output }, { handler: () => ({ a: 'x' }) })
    const { isError, text } = await tool.call()
    expect([isError, text.includes('secret')]).toEqual([true, false])
  })

  it('can tell the client with a ToolError', async () => {
    const input = z.object({
      a: z.string().transform(() => {
        throw new ToolError('Ask for another room.')
      }),
    })
    await using tool = await serveTool({ input })
    expect(await tool.call({ a: 'x' })).toMatchObject({ isError: true, text: 'Ask for another room.' })
  })
})

describe('a result of a Standard Schema', () => {
  const output = z.object({ id: z.string() })

  it('that does not fit is an internal error', async () => {
    await using tool = await serveTool({ output }, { handler: () => ({ id: 5 }) })
    const { isError, text } = await tool.call()
    expect(isError).toBe(true)
    expect(text).toMatch(/^Tool 'run' failed/)
  })

  it('is stripped in a complete result', async () => {
    const handler = () =>
      result({ structuredContent: { id: '1', secret: 'x' }, content: [{ type: 'text', text: 'One' }] })
    await using tool = await serveTool({ output }, { handler })
    expect(await tool.call()).toEqual({ text: 'One', structured: { id: '1' } })
  })

  it('is stripped after hooks have changed it', async () => {
    const hook: CallHook = { around: async (_call, next) => ({ ...((await next()) as object), secret: 'x' }) }
    await using tool = await serveTool({ output }, { handler: () => ({ id: '1' }), server: { hooks: [hook] } })
    expect(await tool.call()).toMatchObject({ structured: { id: '1' } })
  })

  it('is stripped in a call of the own process, and in hooks', async () => {
    const completed: unknown[] = []
    class Tools {
      @McpTool({ output })
      find(): { id: string } {
        return { id: '1', secret: 'x' } as { id: string }
      }
    }
    await using server = await serve({
      controllers: [Tools],
      hooks: [{ onCompleted: (_call, returned) => void completed.push(returned) }],
    })
    expect(await server.callTool('find', {})).toMatchObject({ structuredContent: { id: '1' } })
    expect(JSON.stringify(await server.callTool('find', {}))).not.toContain('secret')
    expect(completed[0]).toEqual({ id: '1' })
  })

  it('is stripped in a task', async () => {
    class Tools {
      @McpTool({ output, task: 'required' })
      find(): { id: string } {
        return { id: '1', secret: 'x' } as { id: string }
      }
    }
    const server = await serve({ controllers: [Tools] })
    await using client = openRawClient(server)
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
    const { result: started } = await client.modern('tools/call', { name: 'find' }, capabilities)
    const get = () => client.modern('tasks/get', { taskId: started.taskId }, capabilities)
    await until(async () => (await get()).result.status === 'completed')
    const { result: task } = await get()
    expect(task.result.structuredContent).toEqual({ id: '1' })
    expect(JSON.stringify(task)).not.toContain('secret')
    await server.close()
  })
})

describe('a task with a Standard Schema', () => {
  it('parses once, within the task', async () => {
    const { input, runs } = countingInput()
    const seen: unknown[] = []
    const policy: Policy = ({ arguments: args }) => seen.push(args) > 0
    class Tools {
      @McpTool({ input, task: 'required' })
      @Authorize({ policy })
      book(args: { day: Date }): string {
        seen.push(args)
        return 'booked'
      }
    }
    const server = await serve({ controllers: [Tools] })
    await using client = openRawClient(server, { subject: 'ada', roles: [], scopes: [], claims: {} })
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
    const { result: started } = await client.modern('tools/call', { name: 'book', arguments: { day } }, capabilities)
    const get = () => client.modern('tasks/get', { taskId: started.taskId }, capabilities)
    await until(async () => (await get()).result.status === 'completed')
    expect(seen).toEqual([{ day: date }, { day: date }])
    expect(runs).toEqual([day])
    await server.close()
  })
})

function serve(options: Partial<ServerOptions>) {
  return createServer({ name: 'test', version: '1', logger: pino({ level: 'silent' }), ...options }).then((server) =>
    Object.assign(server, { [Symbol.asyncDispose]: () => server.close() }),
  )
}
