// A small project in a temporary folder, and `toolwright dev` as a process.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Output } from '../../../../test/support/output.js'

const cli = join(__dirname, '..', '..')
export const program = join(cli, 'bin', 'toolwright.js')

export const compilerOptions = {
  target: 'es2022',
  module: 'nodenext',
  types: ['node'],
  strict: true,
  skipLibCheck: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
}

export const main = `
import { serve } from 'toolwright'

await serve({ name: 'project', version: '1.0.0', scan: new URL('./tools/', import.meta.url) })
`

/** A module with a tool `answer`, which gets the answer from an injected class. */
export function answerTools(answer: string): string {
  return `
import { McpController, McpTool } from 'toolwright'
import { Answers } from '../answers.js'

@McpController()
export class AnswerTools {
  constructor(private readonly answers: Answers) {}

  @McpTool({ description: 'Returns the answer.' })
  answer(): string {
    return this.answers.format('${answer}')
  }
}
`
}

const answers = `
import { singleton } from 'toolwright'

@singleton()
export class Answers {
  format(answer: string): string {
    return 'answer ' + answer
  }
}
`

/** A module with one tool without arguments. */
export function toolModule(name: string, body = "return 'done'"): string {
  return `
import { McpContext, McpTool } from 'toolwright'

export class ${name[0]?.toUpperCase()}${name.slice(1)}Tools {
  @McpTool({ description: 'A tool.' })
  async ${name}(context: McpContext): Promise<string> {
    ${body}
  }
}
`
}

export class DevProject {
  readonly folder: string

  /** The temporary folder that contains the project. */
  readonly #parent: string

  /**
   * Creates a project. It is below the package, so that `toolwright` resolves.
   *
   * @param name Name of its folder.
   */
  constructor(files: Readonly<Record<string, string>> = {}, name = 'project') {
    mkdirSync(join(cli, 'dist'), { recursive: true })
    this.#parent = realpathSync(mkdtempSync(join(cli, 'dist', 'dev-test-')))
    this.folder = join(this.#parent, name)
    this.write('package.json', JSON.stringify({ name: 'project', type: 'module' }))
    this.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['src'] }))
    const defaults = { 'src/main.ts': main, 'src/answers.ts': answers, 'src/tools/answer-tools.ts': answerTools('1') }
    for (const [file, text] of Object.entries({ ...defaults, ...files })) this.write(file, text)
  }

  /** Saves a file in place. */
  write(file: string, text: string): void {
    const path = join(this.folder, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }

  /** Saves a file as many editors do: as a new file, which then takes the name. */
  writeByRename(file: string, text: string): void {
    const path = join(this.folder, file)
    writeFileSync(`${path}.tmp`, text)
    renameSync(`${path}.tmp`, path)
  }

  delete(file: string): void {
    rmSync(join(this.folder, file))
  }

  remove(): void {
    rmSync(this.#parent, { recursive: true, force: true })
  }
}

const quiet = ['--no-inspector', '--no-types']

/** A running `toolwright dev`. */
export class DevProcess {
  readonly output: Output
  readonly stdout: Output

  constructor(readonly child: ChildProcessWithoutNullStreams) {
    this.stdout = new Output([child.stdout])
    this.output = new Output([child.stdout, child.stderr])
  }

  /** @param args Default: without the inspector, whose page must be built first, and without the type check. */
  static start(project: DevProject, args: readonly string[] = quiet, env: NodeJS.ProcessEnv = {}): DevProcess {
    const options = { cwd: project.folder, env: { ...process.env, PORT: '0', ...env } }
    return new DevProcess(spawn(process.execPath, [program, 'dev', ...args], options))
  }

  /** The address of the endpoint, as soon as it serves. */
  async url(): Promise<URL> {
    const [, url = ''] = await this.output.match(/MCP +(http\S+)/)
    return new URL(url)
  }

  async stop(): Promise<number | null> {
    if (this.child.exitCode !== null) return this.child.exitCode
    const exit = once(this.child, 'exit')
    this.child.kill('SIGTERM')
    const [code] = (await exit) as [number | null]
    return code
  }
}
