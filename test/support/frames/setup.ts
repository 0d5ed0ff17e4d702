// Every frame of a test is validated against the official schema of its revision, in that test.
import { frames } from './frames.js'

// Tests without a server do not need to load one.
const exchanges = /packages[/\\](core|fastify|testing|toolwright)[/\\]test[/\\](?!unit|boot|types)|test[/\\]frames/

if (exchanges.test(expect.getState().testPath ?? '')) {
  // oxlint-disable-next-line typescript/no-require-imports
  require('./watch-server')
}

function checkFrames(): void {
  const errors = frames.takeFaults()
  frames.reset()
  if (errors.length > 0) throw new Error(`These frames do not match the official schema:\n${errors.join('\n')}`)
}

afterEach(checkFrames)
// A file that closes its servers may exchange frames after its last test.
afterAll(checkFrames)
