import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { call, connectSample, type SampleProcess, startSample } from '../../../test/support/sample.js'

const keys = { READER_KEY: 'key-of-the-reader', WRITER_KEY: 'key-of-the-writer' }
const lunch = { date: '2030-01-31', category: 'food', euros: 12.34 }

describe('expenses over HTTP', () => {
  let folder: string
  let program: SampleProcess & { url: URL }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'expenses-'))
    program = await startSample('expenses', { ...keys, EXPENSES_FILE: join(folder, 'expenses.json') })
  })
  afterAll(async () => {
    await program.stop()
    rmSync(folder, { recursive: true })
  })

  async function connect(key: string): Promise<Client> {
    const client = new Client({ name: 'test', version: '1.0.0' })
    const requestInit = { headers: { 'x-api-key': key } }
    await client.connect(new StreamableHTTPClientTransport(program.url, { requestInit }))
    return client
  }

  it('shows each caller the tools of its role', async () => {
    const tools = await Promise.all(
      Object.values(keys).map(async (key) => {
        const client = await connect(key)
        const { tools: listed } = await client.listTools()
        await client.close()
        return listed.map(({ name }) => name)
      }),
    )
    expect(tools).toEqual([
      ['count_expenses', 'list_expenses'],
      ['add_expense', 'count_expenses', 'list_expenses', 'remove_expense'],
    ])
  })

  it('adds an expense, which the reader lists', async () => {
    const [writer, reader] = await Promise.all([connect(keys.WRITER_KEY), connect(keys.READER_KEY)])
    expect(await call(writer, 'add_expense', lunch)).toMatchObject({ structuredContent: { id: 1, ...lunch } })
    expect(await call(reader, 'list_expenses')).toMatchObject({
      structuredContent: { expenses: [{ id: 1, ...lunch }], euros: 12.34 },
    })
    await expect(call(reader, 'remove_expense', { id: 1 })).rejects.toThrow('Forbidden')
    await Promise.all([writer.close(), reader.close()])
  })

  it('rejects an unknown key', async () => {
    await expect(connect('key-of-a-stranger')).rejects.toThrow('Unauthorized')
  })
})

test('expenses without keys only counts over HTTP', async () => {
  const sample = await connectSample('expenses', { lane: 'http', era: 'modern' }, { READER_KEY: '', WRITER_KEY: '' })
  expect((await sample.client.listTools()).tools.map(({ name }) => name)).toEqual(['count_expenses'])
  await sample.close()
})

test('expenses over stdio serves the user who started it', async () => {
  const sample = await connectSample('expenses', { lane: 'stdio', era: 'modern' })
  expect((await sample.client.listTools()).tools).toHaveLength(4)
  await sample.close()
})
