import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type SampleProcess, startSample } from '../../../test/support/sample.js'

const execute = promisify(execFile)
const program = join(__dirname, '..', 'dist', 'client.js')

describe('the sample client', () => {
  let server: SampleProcess & { url: URL }

  beforeAll(async () => {
    server = await startSample('authorization')
  })
  afterAll(() => server.stop())

  const runClient = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await execute(process.execPath, [program, ...args], {
      env: { ...process.env, URL: server.url.href },
    })
    return stdout
  }

  it('lists the users, creates one, and shows why a second one is not created', async () => {
    const users = ['alice     Admin', 'mara      Manager', 'bob       User']
    expect(await runClient()).toBe(['The directory has 3 users, and its theme is light.', ...users, ''].join('\n'))
    expect(await runClient('ines')).toBe(
      [
        'The directory has 3 users, and its theme is light.',
        "mara created 'ines' as User.",
        ...users,
        'ines      User',
        '',
      ].join('\n'),
    )
    expect(await runClient('ines')).toContain("\nThe user 'ines' already exists. Choose another name.\n")
  })
})
