// #region first
import { connect } from '@toolwright/client'
import type { ForecastTools } from './validate-arguments.js'

export async function printForecast(): Promise<void> {
  await using client = await connect('http://127.0.0.1:3000/mcp')
  const weather = client.tools<ForecastTools>()
  console.log(await weather.forecast({ city: 'Lisbon', days: 2 }))
}

// #endregion

// #region names
import type { TillTools } from './call-from-typescript-server.js'

export async function openTill(): Promise<string> {
  await using client = await connect('http://127.0.0.1:3000/mcp')
  const till = client.tools<TillTools>({
    prefix: 'till_',
    names: { open: 'open_drawer' },
  })
  return till.open()
}

// #endregion

// #region progress
import type { ImportTools } from './report-progress.js'

export async function importRows(
  rows: number,
  signal: AbortSignal,
): Promise<string> {
  await using client = await connect({
    command: 'node',
    args: ['server.js', '--stdio'],
  })
  const call = client
    .tools<ImportTools>()
    .importRows({ rows }, { signal, timeoutMs: 10_000 })
  for await (const { progress, total } of call.progress)
    console.log(`${progress} of ${total}`)
  return call
}

// #endregion

// #region errors
import { ConnectionError, ToolCallError } from '@toolwright/client'

export async function tryForecast(city: string): Promise<string> {
  try {
    await using client = await connect('https://weather.example.com/mcp', {
      timeoutMs: 5000,
    })
    return await client.tools<ForecastTools>().forecast({ city, days: 1 })
  } catch (error) {
    if (error instanceof ToolCallError)
      return `The forecast failed: ${error.message}`
    if (error instanceof ConnectionError)
      return 'The weather server cannot be reached.'
    throw error
  }
}
// #endregion

// #region credentials
declare function readToken(options: {
  readonly fresh: boolean
}): Promise<string>

export const connectWithToken = () =>
  connect('https://weather.example.com/mcp', {
    credentials: (reason) => readToken({ fresh: reason === 'rejected' }),
  })
// #endregion

// #region declared
/** As `toolwright types` writes it. */
export interface Tools {
  search: {
    arguments: { query: string; limit?: number }
    result: { hits: string[] }
  }
}

export async function search(query: string): Promise<readonly string[]> {
  await using client = await connect<Tools>('https://search.example.com/mcp')
  const { hits } = await client.call('search', { query })
  return hits
}
// #endregion

// #region events
export async function followStock(): Promise<void> {
  await using client = await connect('ws://127.0.0.1:3000/ws')
  for await (const uri of await client.updates('shop://stock/tea')) {
    const { contents } = await client.readResource(uri)
    console.log(contents)
  }
}
// #endregion

// #region handlers
export const connectForUser = (
  askUser: (question: string) => Promise<string | null>,
) =>
  connect('http://127.0.0.1:3000/mcp', {
    onElicit: async ({ message }) => {
      const name = await askUser(message)
      return name === null
        ? { action: 'decline' }
        : { action: 'accept', content: { name } }
    },
  })
// #endregion
