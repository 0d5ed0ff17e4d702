import { Writable } from 'node:stream'

interface ClaimedStdout {
  readonly output: Writable
  readonly release: () => void
}

/**
 * Reserves stdout for protocol messages, because a stray line would break the client's parser. Other output to stdout,
 * such as `console.log`, goes to stderr until the release.
 */
export function claimStdout(): ClaimedStdout {
  const { stdout, stderr } = process
  const own = Object.getOwnPropertyDescriptor(stdout, 'write')
  const write = stdout.write.bind(stdout)
  const toStderr = stderr.write.bind(stderr)
  stdout.write = toStderr
  const ignore = (): void => undefined
  // Errors of stderr are ignored: code that prints to stdout does not expect these errors.
  stderr.on('error', ignore)
  const output = new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _encoding, done) => void write(chunk, () => done()),
  })
  // Closes the output, because the client has stopped reading.
  const end = (): void => void output.destroy()
  stdout.on('error', end)
  const release = (): void => {
    stdout.off('error', end)
    stderr.off('error', ignore)
    // If other code has replaced `write` in the meantime, the replacement stays in place.
    if (stdout.write !== toStderr) return
    if (own === undefined) Reflect.deleteProperty(stdout, 'write')
    else Object.defineProperty(stdout, 'write', own)
  }
  return { output, release }
}
