import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual, promisify } from 'node:util'
import { connect, type McpClient } from '@toolwright/client'
import { describeProgram } from '../../../test/support/program-behaviour.js'
import { startSample } from '../../../test/support/sample.js'
import { until } from '../../../test/support/until.js'
import type { FileTools } from '../src/tools/file-tools.js'
import type { StationTools } from '../src/tools/station-tools.js'

const execute = promisify(execFile)
const clientProgram = join(__dirname, '..', 'dist', 'client.js')

const tools = ['download_file', 'follow_station', 'list_files', 'record_temperature', 'upload_file']
const plain = ['list_files', 'record_temperature']

describeProgram(
  'streams',
  tools.map((tool) => (plain.includes(tool) ? tool : `${tool} (websocket)`)),
)

describe('the sample streams', () => {
  let folder: string
  let sample: Awaited<ReturnType<typeof startSample>>
  let client: McpClient

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'streams-'))
    sample = await startSample('streams', { ARCHIVE: join(folder, 'archive') })
    client = await connect(sample.url)
  })
  afterAll(async () => {
    await client.close()
    await sample.stop()
    await rm(folder, { recursive: true })
  })

  const runClient = async (...args: string[]): Promise<string> => {
    const { stdout } = await execute(process.execPath, [clientProgram, ...args], {
      env: { ...process.env, URL: sample.url.href },
    })
    return stdout
  }

  it('uploads a file with its checksum, and downloads it again', async () => {
    const content = Buffer.alloc(300_000, 'measurement ')
    const sha256 = createHash('sha256').update(content).digest('hex')
    const file = join(folder, 'today.csv')
    await writeFile(file, content)

    const uploaded = await runClient('upload', file)
    const downloaded = await runClient('download', 'today.csv', join(folder, 'copy.csv'))

    const summary = `{\n  name: 'today.csv',\n  bytes: 300000,\n  sha256: '${sha256}'\n}\n`
    expect([uploaded, downloaded]).toEqual([summary, summary])
    expect(await readFile(join(folder, 'copy.csv'))).toEqual(content)
  })

  it('stores nothing of a file with another checksum, or of an aborted upload', async () => {
    const before = await readdir(join(folder, 'archive'))
    const files = client.streams<FileTools>()
    const wrong = await files.uploadFile({ name: 'wrong.csv', sha256: '0'.repeat(64) })
    await wrong.writable.getWriter().close()
    await expect(wrong.done).rejects.toThrow(/The file has the checksum e3b0c442.*Upload it again\./)
    const aborted = await files.uploadFile({ name: 'aborted.csv' })
    await aborted.writable.getWriter().write(Buffer.from('half'))
    aborted.abort()
    const unknown = await files.downloadFile({ name: 'aborted.csv' })

    await expect(unknown.done).rejects.toThrow("There is no file 'aborted.csv'. List them with list_files.")
    // The server deletes the incomplete file in the background.
    await until(async () => isDeepStrictEqual(await readdir(join(folder, 'archive')), before))
  })

  it('sends measurements as they are recorded', async () => {
    const record = (celsius: number): Promise<Response> =>
      fetch(sample.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'record_temperature', arguments: { celsius } },
        }),
      })
    await record(20)
    const stream = await client.streams<StationTools>().followStation()
    const reader = stream.readable.getReader()
    const first = await reader.read()
    await record(21.5)
    const second = await reader.read()
    stream.abort()

    expect([first.value?.celsius, second.value?.celsius]).toEqual([20, 21.5])
  })
})
