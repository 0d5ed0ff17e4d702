import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { programs, runNode } from '../../boot/run-program.js'

/** A folder beside the compiled programs, so that its modules can import the package. */
export class ScannedFolder {
  readonly path = mkdtempSync(join(programs, 'scanned-'))

  write(file: string, text: string): string {
    const path = join(this.path, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    return path
  }

  /** The report of a scan, or all boot problems, without the name of the folder. */
  async explain(...folders: readonly string[]): Promise<string> {
    const scan = folders.length === 0 ? [this.path] : folders.map((folder) => join(this.path, folder))
    const { stdout, stderr } = await runNode(['scan.js', scan.join()])
    return (stderr + stdout).replaceAll(`${this.path.slice(programs.length + 1)}/`, '').replace(/=====\n$/, '')
  }

  remove(): void {
    rmSync(this.path, { recursive: true })
  }
}

interface ClassOptions {
  readonly extends?: string
  /** Options of `@McpController`, as JavaScript. */
  readonly controller?: string
  /** Other code in the class. */
  readonly body?: string
}

/** JavaScript of an exported class whose methods are tools. */
export function toolClass(name: string, tools: readonly string[], options: ClassOptions = {}): string {
  const methods = tools.map((tool) => `${tool}() { return '' }`)
  const heritage = options.extends === undefined ? '' : ` extends ${options.extends}`
  const decorate = (tool: string): string =>
    `McpTool({ description: 'Is a tool' })(${name}.prototype, '${tool}', Object.getOwnPropertyDescriptor(${name}.prototype, '${tool}'))`
  return [
    "import { McpController, McpTool } from '@toolwright/core'",
    `export class ${name}${heritage} { ${methods.join(' ')} ${options.body ?? ''} }`,
    ...tools.map(decorate),
    ...(options.controller === undefined ? [] : [`McpController(${options.controller})(${name})`]),
    '',
  ].join('\n')
}
