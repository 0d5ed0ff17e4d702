import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { connect } from '@toolwright/client'
import { Output } from '../../../test/support/output.js'
import { type SampleProcess, startSample } from '../../../test/support/sample.js'

describe('several servers behind one login', () => {
  let front: SampleProcess & { url: URL }
  const others: ReturnType<typeof spawn>[] = []

  /** Starts another program of the sample. @returns The URL that it prints. */
  const startOther = async (program: string): Promise<string> => {
    const child = spawn(process.execPath, [join(__dirname, '..', 'dist', program)], {
      env: { ...process.env, PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    others.push(child)
    const output = new Output([child.stdout, child.stderr].filter((stream) => stream !== null))
    const [, url = ''] = await output.match(/serving \w+ at (\S+)\n/)
    return url
  }

  beforeAll(async () => {
    const [weather = '', deliveries = ''] = await Promise.all(['weather.js', 'deliveries.js'].map(startOther))
    front = await startSample('several-servers', {
      WEATHER_URL: weather,
      DELIVERIES_URL: deliveries,
      ADA_KEY: 'the-key-of-ada-test',
      BEN_KEY: 'the-key-of-ben-test',
    })
  })

  afterAll(async () => {
    await front.stop()
    for (const other of others) other.kill()
  })

  const connectWith = (key: string) =>
    connect(front.url, {
      headers: { 'x-api-key': key },
      onElicit: () => ({ action: 'accept' as const, content: { text: 'three short words' } }),
    })

  test('serve the tools of an HTTP server, of a program, of an HTTP API and of mounted options', async () => {
    await using ben = await connectWith('the-key-of-ben-test')
    const names = (await ben.allTools()).map(({ name }) => name)
    expect(names).toEqual(['find_deliveries', 'notes_take_note', 'shop_order', 'weather_forecast'])
    expect(await ben.call('weather_forecast', { city: 'Rome' })).toBe('Sunny in Rome')
    expect(await ben.call('notes_take_note')).toBe('3 words')
    expect(await ben.call('shop_order', { article: 'tea', units: 2 })).toBe('Ordered 2 x tea')
    const { contents } = await ben.readResource('notes:notes/today')
    expect(contents).toMatchObject([{ text: 'Bring an umbrella' }])
  })

  test('call the HTTP API in the name of the caller', async () => {
    await using ben = await connectWith('the-key-of-ben-test')
    await using ada = await connectWith('the-key-of-ada-test')
    const sent = { status: 'sent' }
    expect(await ben.call('find_deliveries', sent)).toEqual({ result: [{ id: 3, status: 'sent' }] })
    expect(await ada.call('find_deliveries', sent)).toEqual({ result: [{ id: 1, status: 'sent' }] })
  })

  test('show some tools only to callers with a role', async () => {
    await using ada = await connectWith('the-key-of-ada-test')
    expect(await ada.call('shop_close')).toBe('The shop is closed')
  })

  test('reject callers without a key', async () => {
    await expect(connect(front.url)).rejects.toThrow('requires other credentials')
  })

  test('report their health', async () => {
    const ready = await fetch(new URL('/health/ready', front.url))
    expect(await ready.json()).toEqual({ status: 'ok' })
  })
})
