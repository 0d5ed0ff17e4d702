import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { program, runCommand } from '../run-command.js'
import { listOf, RawServer } from '../support/raw-server.js'

const image = { content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] }

let server: RawServer
let folder: string

beforeEach(async () => {
  server = await RawServer.start({ 'tools/list': listOf('draw'), 'tools/call': () => image })
  folder = mkdtempSync(join(tmpdir(), 'toolwright-output-'))
})

afterEach(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

it.each([
  ['a folder that does not exist', ['missing', 'a.png'], 'which cannot be written: ENOENT'],
  ['a folder', [], 'which is a folder. Give a file.'],
])('toolwright call rejects an --output in %s before it calls the tool', async (_place, path, message) => {
  const { code, stderr } = await runCommand(['call', server.url, 'draw', '--output', join(folder, ...path)])
  expect(stderr).toContain(message)
  expect(stderr).not.toMatch(/^ +at /m)
  expect(code).toBe(64)
  expect(server.requests).toEqual([])
})

// The device is always full. Only Linux has it: run the tests there. Other systems skip them, and the output says so.
const hasFullDevice = existsSync('/dev/full')
if (!hasFullDevice)
  process.stderr.write('SKIPPED: the tests of a full disk. They need /dev/full, which only Linux has.\n')
const describeOnLinux = hasFullDevice ? describe : describe.skip

describeOnLinux('a full disk', () => {
  it.each([['call', 'draw'], ['list'], ['types']])('toolwright %s fails if the disk is full', async (name, ...more) => {
    const line = [process.execPath, program, name, server.url, ...more].map((word) => `'${word}'`).join(' ')
    const child = spawn('sh', ['-c', `${line} > /dev/full`], { stdio: ['ignore', 'ignore', 'pipe'] })
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
    expect(stderr).toContain('The output cannot be written: ENOSPC')
    expect(code).toBe(1)
  })
})

it('toolwright call stops without an error if the reader closes the pipe', async () => {
  const line = [process.execPath, program, 'call', server.url, 'draw'].map((word) => `'${word}'`).join(' ')
  const child = spawn('sh', ['-c', `${line} | true; wait`], { stdio: ['ignore', 'ignore', 'pipe'] })
  const [stderr] = await Promise.all([text(child.stderr), once(child, 'close')])
  expect(stderr).not.toContain('cannot be written')
})
