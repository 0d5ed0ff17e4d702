import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Output } from '../../../test/support/output.js'

export const root = join(__dirname, '..', '..', '..')
export const program = join(root, 'packages', 'cli', 'bin', 'toolwright.js')

export function sampleProgram(sample: string): string {
  return join(root, 'samples', sample, 'dist', 'main.js')
}

/** `NODE_OPTIONS` of the tests, as arguments: programs that a client starts do not inherit the variable. */
export const nodeOptions = (process.env['NODE_OPTIONS'] ?? '').split(' ').filter((option) => option !== '')

export interface CommandResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface CommandOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
}

/** A started `toolwright` command. */
export class RunningCommand {
  readonly stdout: Output
  readonly stderr: Output
  readonly ended: Promise<CommandResult>

  constructor(readonly child: ChildProcessWithoutNullStreams) {
    this.stdout = new Output([child.stdout])
    this.stderr = new Output([child.stderr])
    this.ended = once(child, 'close').then(([code]) => ({
      code: code as number | null,
      stdout: this.stdout.text,
      stderr: this.stderr.text,
    }))
  }
}

export function startCommand(args: readonly string[], { cwd = root, env = {} }: CommandOptions = {}): RunningCommand {
  const { TOOLWRIGHT_TOKEN: _unset, ...inherited } = process.env
  return new RunningCommand(spawn(process.execPath, [program, ...args], { cwd, env: { ...inherited, ...env } }))
}

/** Runs `toolwright` until it ends. */
export function runCommand(args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  const command = startCommand(args, options)
  command.child.stdin.end(options.input ?? '')
  return command.ended
}
