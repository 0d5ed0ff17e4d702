import { setImmediate } from 'node:timers/promises'
import {
  type ElicitRequest,
  type InProcessOptions,
  inputRequired,
  McpContext,
  McpPrompt,
  McpTool,
  Type,
} from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { pino } from 'pino'

const Size = Type.Object({ size: Type.Integer({ minimum: 1 }) })

let late: Promise<void> | null = null

class Features {
  @McpTool()
  async order(context: McpContext): Promise<string> {
    const answer = await context.elicit({ message: 'Which size?', schema: Size })
    return answer.action === 'accept' ? `size ${answer.content.size}` : answer.action
  }

  @McpTool()
  async visit(context: McpContext): Promise<string> {
    const { action } = await context.elicitUrl({ message: 'Please pay', url: 'https://pay.example.com/' })
    return action
  }

  @McpTool()
  async both(context: McpContext): Promise<string[]> {
    const ask = (message: string) => context.elicit({ message, schema: Size })
    const answers = await Promise.all([ask('One?'), ask('Two?')])
    return answers.map(({ action }) => action)
  }

  @McpTool({ timeoutMs: 100 })
  async slow(context: McpContext): Promise<string> {
    await context.elicit({ message: 'Take your time', schema: Size })
    return 'in time'
  }

  @McpTool()
  async forget(context: McpContext): Promise<string> {
    context.elicit({ message: 'Never awaited', schema: Size }).catch(() => undefined)
    return Promise.resolve('done')
  }

  @McpTool()
  byHand(context: McpContext): string {
    const { first } = context.inputResponses as { first?: { action: string } }
    if (first !== undefined) return `${first.action} in round ${String(context.requestState)}`
    const params = { mode: 'form', message: 'By hand?', requestedSchema: { type: 'object', properties: {} } }
    return inputRequired({ inputRequests: { first: { method: 'elicitation/create', params } }, requestState: 2 })
  }

  @McpTool()
  endless(): never {
    return inputRequired({ requestState: 'again' })
  }

  @McpTool()
  async sample(context: McpContext): Promise<string> {
    const { text } = await context.sample({ messages: [{ role: 'user', content: 'Hi' }], maxTokens: 1 })
    return text
  }

  @McpTool()
  async work(context: McpContext): Promise<string> {
    context.progress(1, 3, 'one')
    context.progress(1)
    context.progress({ progress: 2 })
    late = (async () => {
      await setImmediate()
      context.progress(3)
    })()
    return Promise.resolve('worked')
  }

  @McpPrompt()
  async greet(context: McpContext): Promise<string> {
    const { action } = await context.elicit({ message: 'Formal?', schema: Size })
    return action
  }
}

async function open(lines: string[] = []) {
  const logger = pino({ level: 'error' }, { write: (line) => void lines.push(line) })
  return createServer({ name: 'questions', version: '1.0.0', controllers: [Features], logger })
}

async function textOf(name: string, options: InProcessOptions, lines?: string[]): Promise<unknown> {
  const server = await open(lines)
  const { content } = await server.callTool(name, {}, options)
  await server.close()
  return content[0]?.type === 'text' ? content[0].text : content
}

describe('an in-process call with onElicit', () => {
  it('gets the answers of the function, for forms and web pages', async () => {
    const seen: ElicitRequest[] = []
    const onElicit: InProcessOptions['onElicit'] = (request) => {
      seen.push(request)
      return request.mode === 'form' ? { action: 'accept', content: { size: 3 } } : { action: 'accept' }
    }
    expect(await textOf('order', { onElicit })).toBe('size 3')
    expect(await textOf('visit', { onElicit })).toBe('accept')
    expect(seen).toEqual([
      { mode: 'form', message: 'Which size?', requestedSchema: expect.objectContaining({ type: 'object' }) as object },
      { mode: 'url', message: 'Please pay', url: 'https://pay.example.com/' },
    ])
    expect(await textOf('order', { onElicit: async () => Promise.resolve({ action: 'decline' }) })).toBe('decline')
  })

  it('asks several questions at the same time', async () => {
    const onElicit = async (): Promise<{ action: 'cancel' }> => Promise.resolve({ action: 'cancel' })
    expect(await textOf('both', { onElicit })).toBe('["cancel","cancel"]')
  })

  it('rejects an answer that does not match the form', async () => {
    expect(await textOf('order', { onElicit: () => ({ action: 'accept', content: { size: 0 } }) })).toBe(
      "The client's answer to elicitation/create is invalid: 'size' must be at least 1.",
    )
    expect(await textOf('order', { onElicit: () => undefined as never })).toMatch(/is invalid: "action" must be/)
  })

  it('hides and logs an error of the function', async () => {
    const lines: string[] = []
    const onElicit = (): never => {
      throw new Error('the password is hunter2')
    }
    const text = await textOf('order', { onElicit }, lines)
    expect(text).toBe('The client rejected elicitation/create: no reason given')
    expect(lines.join()).toContain('onElicit of an in-process call failed')
    expect(lines.join()).toContain('hunter2')
  })

  it('stops its time limit while it waits for an answer', async () => {
    const onElicit = async (): Promise<{ action: 'cancel' }> => {
      await new Promise((resolve) => {
        setTimeout(resolve, 200)
      })
      return { action: 'cancel' }
    }
    expect(await textOf('slow', { onElicit })).toBe('in time')
  })

  it('tells the function when the answer is no longer needed', async () => {
    const controller = new AbortController()
    const withdrawn = (name: string, signal?: AbortSignal): Promise<unknown> =>
      new Promise((resolve) => {
        const onElicit: InProcessOptions['onElicit'] = async (_request, asked) => {
          asked.signal.addEventListener('abort', () => resolve((asked.signal.reason as Error).message))
          if (signal !== undefined) controller.abort(new Error('enough'))
          return new Promise(() => undefined)
        }
        textOf(name, { onElicit, signal }).catch(() => undefined)
      })
    expect(await withdrawn('forget')).toBe('the call ended')
    expect(await withdrawn('order', controller.signal)).toBe('the caller cancelled the request')
  })

  it('runs a handler again that calls inputRequired', async () => {
    const onElicit = (): { action: 'decline' } => ({ action: 'decline' })
    expect(await textOf('by_hand', { onElicit })).toBe('decline in round 2')
    await expect(textOf('endless', { onElicit })).rejects.toThrow('The handler called inputRequired 100 times in a row')
  })

  it('does not offer sampling', async () => {
    await expect(textOf('sample', { onElicit: () => ({ action: 'cancel' }) })).rejects.toMatchObject({ code: -32021 })
  })

  it('also asks for prompts', async () => {
    const server = await open()
    const { messages } = await server.getPrompt('greet', {}, { onElicit: () => ({ action: 'decline' }) })
    expect(messages[0]?.content).toEqual({ type: 'text', text: 'decline' })
    await server.close()
  })
})

describe('an in-process call with onProgress', () => {
  it('reports each update until its end', async () => {
    const seen: unknown[] = []
    expect(await textOf('work', { onProgress: (update) => void seen.push(update) })).toBe('worked')
    await late
    expect(seen).toEqual([{ progress: 1, total: 3, message: 'one' }, { progress: 2 }])
  })

  it('continues and logs an error if the function throws', async () => {
    const lines: string[] = []
    const onProgress = (): never => {
      throw new Error('broken bar')
    }
    expect(await textOf('work', { onProgress }, lines)).toBe('worked')
    expect(lines.join()).toContain('onProgress of an in-process call failed')
  })

  it('fails if the handler asks a question', async () => {
    await expect(textOf('order', { onProgress: () => undefined })).rejects.toMatchObject({ code: -32021 })
    await expect(textOf('by_hand', { onProgress: () => undefined })).rejects.toMatchObject({ code: -32021 })
  })
})
