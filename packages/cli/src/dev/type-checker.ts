import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { stripVTControlCharacters } from 'node:util'
import { hasGroups, killGroup } from './kill-group.js'
import type { Terminal } from './terminal.js'
import type { Watchdog } from './watchdog.js'

/** Prints the errors that TypeScript finds in a project, each time that files are saved. */
export class TypeChecker {
  #hadErrors = false
  #lines: string[] = []
  #child: ChildProcess

  private constructor(
    private readonly compiler: string,
    private readonly root: string,
    private readonly terminal: Terminal,
    private readonly watchdog: Watchdog,
  ) {
    this.#child = this.#spawn()
    process.once('exit', () => this.stop())
  }

  static start(root: string, terminal: Terminal, watchdog: Watchdog): TypeChecker | null {
    const compiler = findCompiler(root)
    if (compiler === null || !existsSync(join(root, 'tsconfig.json'))) return null
    return new TypeChecker(compiler, root, terminal, watchdog)
  }

  restart(): void {
    this.stop()
    this.#child = this.#spawn()
  }

  stop(): void {
    const { pid } = this.#child
    if (pid !== undefined) killGroup(pid)
  }

  #spawn(): ChildProcess {
    const args = [this.compiler, '--noEmit', '--watch', '--preserveWatchOutput', '--pretty', 'true']
    // The program gets its own process group, because it may start the compiler as a child.
    const child = spawn(process.execPath, args, {
      cwd: this.root,
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: hasGroups,
    })
    this.watchdog.watch(child.pid)
    this.#lines = []
    createInterface(child.stdout).on('line', (line) => {
      if (child === this.#child) this.#read(line)
    })
    // The error is ignored: without a compiler, the server is still useful.
    child.on('error', () => undefined)
    return child
  }

  #read(line: string): void {
    const text = stripVTControlCharacters(line)
    const found = /Found (\d+) errors?\./.exec(text)?.[1]
    if (found !== undefined) this.#print(Number(found))
    else if (!/^\[?\d+:\d+:\d+|^\s*$/.test(text) || this.#lines.length > 0)
      this.#lines.push(this.terminal.isTerminal ? line : text)
    if (/Starting .*compilation|File change detected/.test(text)) this.#lines = []
  }

  #print(count: number): void {
    const errors = this.#lines
      .filter((line) => !/^Found \d+ error/.test(stripVTControlCharacters(line)))
      .join('\n')
      .trim()
    this.#lines = []
    if (count > 0) this.terminal.printBox('yellow', count === 1 ? '1 type error' : `${count} type errors`, errors)
    else if (this.#hadErrors) this.terminal.print(this.terminal.style('green', 'no type errors'))
    this.#hadErrors = count > 0
  }
}

function findCompiler(root: string): string | null {
  try {
    const manifest = createRequire(join(root, 'package.json')).resolve('typescript/package.json')
    const program = join(dirname(manifest), 'bin', 'tsc')
    return existsSync(program) ? program : null
  } catch {
    return null
  }
}
