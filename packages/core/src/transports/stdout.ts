import { Writable } from 'node:stream'

interface ClaimedStdout {
  readonly output: Writable
  /** Gives stdout back to everybody. */
  readonly release: () => void
}

/**
 * Takes stdout for protocol messages alone. Whatever other code writes to it until it is released, `console.log` included,
 * goes to stderr, because one stray line would break the client's parser.
 */
export function claimStdout(): ClaimedStdout {
  const { stdout, stderr } = process
  const own = Object.getOwnPropertyDescriptor(stdout, 'write')
  const write = stdout.write.bind(stdout)
  const toStderr = stderr.write.bind(stderr)
  stdout.write = toStderr
  const ignore = (): void => undefined
  // Nor is anybody told that nobody reads stderr: what prints to stdout expects no error there.
  stderr.on('error', ignore)
  const output = new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _encoding, done) => void write(chunk, () => done()),
  })
  // The client reads no more.
  const end = (): void => void output.destroy()
  stdout.on('error', end)
  const release = (): void => {
    stdout.off('error', end)
    stderr.off('error', ignore)
    // Who has taken it meanwhile keeps it.
    if (stdout.write !== toStderr) return
    if (own === undefined) Reflect.deleteProperty(stdout, 'write')
    else Object.defineProperty(stdout, 'write', own)
  }
  return { output, release }
}
