import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * A process that ends this process if its program blocks the event loop, so that no signal can be handled. When this
 * process has ended in any way, the watchdog also ends the type check.
 */
export class Watchdog {
  private constructor(private readonly child: ChildProcess) {
    // The errors are ignored: the command works without a watchdog.
    child.on('error', () => undefined)
    child.stdin?.on('error', () => undefined)
    child.unref()
  }

  /** Starts the watchdog. A terminal sends Ctrl+C to the watchdog as well. */
  static start(): Watchdog {
    const { NODE_OPTIONS: _ofProgram, ...env } = process.env
    const program = fileURLToPath(new URL('watchdog-main.js', import.meta.url))
    const stdio = ['pipe', 'ignore', 'inherit'] as const
    return new Watchdog(spawn(process.execPath, [program, String(process.pid)], { env, stdio: [...stdio] }))
  }

  watch(group: number | undefined): void {
    if (group !== undefined) this.child.stdin?.write(`${group}\n`)
  }
}
