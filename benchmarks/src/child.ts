import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** Entry points of processes. Each server and each measurement has a separate process. */
export type ChildName = 'toolwright' | 'login' | 'bare' | 'sdk' | 'in-process' | 'boot' | 'streams' | 'caller'

/** A process started from `children/`, which answers messages. */
export class Child {
  readonly #process: ChildProcess

  constructor(name: ChildName) {
    this.#process = fork(new URL(`./children/${name}.js`, import.meta.url), {
      // Loads the bundles of Toolwright, like the packages that users install.
      execArgv: [...process.execArgv, '--conditions=toolwright-bundle'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
  }

  /** Sends a message, and resolves to the next message from the process. */
  async ask<Answer>(message: object): Promise<Answer> {
    this.#process.send(message)
    const waiting = new AbortController()
    const { signal } = waiting
    const exited = once(this.#process, 'exit', { signal }).then(([code]) => {
      throw new Error(`A benchmark process ended with code ${code}`)
    })
    try {
      const [answer] = await Promise.race([once(this.#process, 'message', { signal }), exited])
      return answer as Answer
    } finally {
      // Otherwise, each message would leave a listener behind.
      exited.catch(() => undefined)
      waiting.abort()
    }
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null) return
    const exited = once(this.#process, 'exit')
    this.#process.disconnect()
    await exited
  }
}

/** Answers each message in a child process. The process exits when its parent disconnects or ends. */
export function answerMessages(answer: (message: never) => object | Promise<object>): void {
  process.on('message', (message) => {
    void Promise.resolve(answer(message as never)).then((reply) => process.send?.(reply))
  })
  process.on('disconnect', () => process.exit())
}
