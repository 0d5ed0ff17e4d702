import { Writable } from 'node:stream'

/**
 * Takes stdout for protocol messages alone. Whatever other code writes to it from now on, `console.log` included, goes
 * to stderr, because one stray line would break the client's parser.
 */
export function claimStdout(): Writable {
  const { stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr)
  // A client that is gone is noticed by the end of the input; until then there is nobody to tell.
  stdout.on('error', () => undefined)
  return new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _encoding, done) => void write(chunk, () => done()),
  })
}
