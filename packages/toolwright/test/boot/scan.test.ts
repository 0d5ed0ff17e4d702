import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

describe('createHost', () => {
  it('scans the folder of a module whose top-level await waits for it, and closes its instances', async () => {
    const cwd = join(__dirname, '..', 'fixtures')
    const { stdout } = await promisify(execFile)(process.execPath, ['waiting-helper/main.mjs'], { cwd })
    const [report, ...rest] = stdout.split('\n')
    const skipped = 'it starts the server, so the scan cannot wait for it; move its classes to a separate module'

    expect(JSON.parse(report as string)).toMatchObject({
      tools: [{ name: 'own', from: 'OwnTools.own' }],
      modules: [
        { file: 'waiting-helper/main.mjs', controllers: [], skipped },
        { file: 'waiting-helper/own-tools.mjs', controllers: ['OwnTools'] },
        { file: 'waiting-helper/start.mjs', controllers: [], skipped },
      ],
    })
    expect(rest).toEqual(['closed', ''])
  })
})

describe('serve', () => {
  it('warns at its start of classes that look like controllers but are not served', async () => {
    const cwd = join(__dirname, '..', 'fixtures')
    const env = { ...process.env, PORT: '0' }
    const { stdout } = await promisify(execFile)(process.execPath, ['misplaced/main.mjs'], { cwd, env })

    expect(stdout.split('\n').slice(3, 5)).toEqual([
      '  tools      fine',
      '  not served HiddenTools has decorated methods, but no scanned module exports it.',
    ])
  })

  it('warns at its start of features that are unreachable without authentication', async () => {
    const cwd = join(__dirname, '..', 'fixtures')
    const env = { ...process.env, PORT: '0' }
    const { stdout } = await promisify(execFile)(process.execPath, ['closed/main.mjs'], { cwd, env })

    expect(stdout.split('\n').slice(3, 5)).toEqual([
      '  tools      drop, see',
      '  closed     drop: they need an authenticated caller, and there is no authentication',
    ])
  })
})
