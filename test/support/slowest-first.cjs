'use strict'

const { createRequire } = require('node:module')

/** The sequencer of Jest, in the version that Jest depends on. */
const { default: TestSequencer } = ['jest', '@jest/core', 'jest-config'].reduce(
  (required, name) => createRequire(required.resolve(name)),
  require,
)('@jest/test-sequencer')

/** The files of more than 15 seconds, the slowest first. */
const slowest = [
  'test/site/site.test.ts',
  'packages/cli/test/call.test.ts',
  'packages/cli/test/publish.test.ts',
  'packages/inspector/test/inspector.test.ts',
  'test/docs/outputs.test.ts',
  'packages/create-toolwright/test/new-project.test.ts',
  'test/samples/listed-features.test.ts',
  'packages/toolwright/test/closing/drain.test.ts',
  'packages/toolwright/test/load/one-request.test.ts',
  'samples/deploy/test/sample.test.ts',
  'packages/cli/test/types.test.ts',
  'packages/toolwright/test/closing/endings.test.ts',
  'packages/cli/test/doctor.test.ts',
  'samples/authorization/test/sample.test.ts',
  'packages/redis/test/session-stores.test.ts',
  'packages/toolwright/test/load/short-soaks.test.ts',
  'packages/fastify/test/sessions/session-bounds.test.ts',
  'packages/toolwright/test/boot/explain.test.ts',
  'packages/redis/test/outage.test.ts',
  'test/docs/jest.test.ts',
  'test/compilers/compilers.test.ts',
  'packages/cli/test/install/install.test.ts',
  'packages/redis/test/regression/killed-nodes.test.ts',
  'packages/fastify/test/regression/slow-readers-lose-answers.test.ts',
  'packages/inspector/test/typed-values.test.ts',
  'samples/everything/test/sample.test.ts',
]

/**
 * Starts the slowest files first, so that all workers end at about the same time. Jest knows durations from its cache, which
 * a new clone does not have: it would start the longest files first, and some of the slowest last.
 */
module.exports = class SlowestFirst extends TestSequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const place = slowest.findIndex((file) => path.replaceAll('\\', '/').endsWith(`/${file}`))
      return place === -1 ? slowest.length : place
    }
    // oxlint-disable-next-line unicorn/no-array-sort -- a method of Jest
    return super.sort(tests).toSorted((a, b) => rank(a) - rank(b))
  }
}
