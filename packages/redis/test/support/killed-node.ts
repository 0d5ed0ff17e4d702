import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { connectToPort, type PortClient } from './port-client.js'

/** A node in a separate process, with the tools of `shop.mjs`. */
export class KilledNode implements AsyncDisposable {
  private constructor(
    private readonly child: ChildProcess,
    readonly client: PortClient,
    /** Effects of its tools. */
    readonly effects: readonly string[],
  ) {}

  static async start(options: object): Promise<KilledNode> {
    const effects: string[] = []
    const child = fork(join(__dirname, 'node.mjs'), [JSON.stringify(options)], { stdio: 'inherit' })
    const [{ port }] = (await once(child, 'message')) as [{ port: number }]
    child.on('message', (effect: string) => effects.push(effect))
    return new KilledNode(child, connectToPort(port), effects)
  }

  send(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
    this.child.kill(signal)
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return
    const ended = once(this.child, 'exit')
    this.child.kill('SIGKILL')
    await ended
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill()
  }
}
