import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { Output } from '../../../test/support/output.js'
import { program, Workshop } from './support/create.js'

// The command in a terminal, which script(1) of util-linux provides. Without it, as on macOS and Windows, the tests are
// skipped, and the output says how to enable them. With `CI=true` on Linux they fail instead.
const found = spawnSync('script', ['--version'], { encoding: 'utf8' })
const hasScript = found.status === 0 && found.stdout.includes('util-linux')
if (!hasScript) {
  const advice = 'SKIPPED: the tests in a terminal. They need the command script of util-linux (on Debian: bsdutils).\n'
  if (process.env['CI'] === 'true' && process.platform === 'linux') throw new Error(advice)
  process.stderr.write(advice)
}
const describeTerminal = hasScript ? describe : describe.skip

const keys = { enter: '\r', down: '\x1b[B', interrupt: '\x03' }

/** A run of the command that answers prompts. */
class Session {
  readonly #child
  readonly output: Output

  constructor(cwd: string, args: readonly string[]) {
    const command = [process.execPath, program, ...args].map((argument) => `'${argument}'`).join(' ')
    // Without a size, each line would be wrapped after one character.
    const line = `stty columns 100 rows 40; exec ${command}`
    this.#child = spawn('script', ['--quiet', '--return', '--command', line, '/dev/null'], {
      cwd,
      env: { ...process.env, TERM: 'xterm', npm_config_user_agent: 'npm/11.0.0 node/v20.19.0', CI: '' },
    })
    this.output = new Output([this.#child.stdout, this.#child.stderr])
  }

  /** Ends a run that waits for an answer, after a test that failed. */
  kill(): void {
    this.#child.kill('SIGKILL')
  }

  /** Waits for a prompt, and sends keys. */
  async answer(prompt: RegExp, ...pressed: readonly string[]): Promise<void> {
    await this.output.match(prompt)
    // One after the other: a terminal delivers what is typed at once as one key.
    for (const key of pressed) this.#child.stdin.write(key)
  }

  async end(): Promise<{ code: number | null; text: string }> {
    const [code] = (await once(this.#child, 'close')) as [number | null]
    return { code, text: stripVTControlCharacters(this.output.text) }
  }
}

describeTerminal('npm create toolwright in a terminal', () => {
  let workshop: Workshop
  let session: Session | undefined

  beforeEach(() => {
    workshop = new Workshop()
  })

  afterEach(() => {
    session?.kill()
    workshop.remove()
  })

  it('asks for missing arguments, and creates the project', async () => {
    session = new Session(workshop.folder, ['--tarballs', workshop.tarballs])
    await session.answer(/In which folder\?/, 'words', keys.enter)
    await session.answer(/Which template\?/, keys.down, keys.enter)
    await session.answer(/Install the dependencies with/, '\x1b[A', keys.enter)
    await session.answer(/Create a git repository\?/, 'n')
    const { code, text } = await session.end()

    expect(code).toBe(0)
    expect(text).toMatch(/Created the sample [a-z-]+, in words:/)
    expect(text).toMatch(/Next:[^]*cd words[^]*npm install[^]*npm run dev[^]*words is ready/)
    expect(workshop.readManifest('words').name).toBe('words')
    expect(existsSync(join(workshop.folder, 'words', '.git'))).toBe(false)
  })

  it('rejects a folder with files, and accepts another folder', async () => {
    workshop.create('taken', '--no-git')
    session = new Session(workshop.folder, ['--tarballs', workshop.tarballs, '--from', 'hello', '--no-install'])
    await session.answer(/In which folder\?/, 'taken', keys.enter)
    await session.answer(/taken is not empty \(found .*\)/, '-not', keys.enter)
    await session.answer(/Create a git repository\?/, 'y')
    expect(await session.end()).toMatchObject({ code: 0, text: expect.stringContaining('in taken-not:') as string })
    expect(existsSync(join(workshop.folder, 'taken-not', '.git'))).toBe(true)
  })

  it('creates nothing after Ctrl+C', async () => {
    session = new Session(workshop.folder, ['words', '--tarballs', workshop.tarballs])
    await session.answer(/Which template\?/, keys.interrupt)
    expect(await session.end()).toMatchObject({
      code: 130,
      text: expect.stringContaining('Cancelled. Nothing was created.') as string,
    })
    expect(existsSync(join(workshop.folder, 'words'))).toBe(false)
  })

  it('asks nothing with --yes', async () => {
    session = new Session(workshop.folder, ['words', '--yes', '--no-install', '--tarballs', workshop.tarballs])
    expect(await session.end()).toMatchObject({ code: 0, text: expect.stringContaining('words is ready') as string })
    expect(existsSync(join(workshop.folder, 'words', '.git'))).toBe(true)
  })
})
