import { pathToFileURL } from 'node:url'
import { describeFailure } from '../src/dev/describe-failure.js'

/** An error whose stack has these frames. */
function failed(...frames: readonly string[]): Error {
  const error = new Error('no database')
  error.stack = ['Error: no database', ...frames.map((frame) => `    at ${frame}`)].join('\n')
  return error
}

describe('the description of a failure', () => {
  it.each([
    ['/srv/my words', 'file:///srv/my%20words/src/main.ts:3:7', '/srv/my words/src/other.ts:1:1'],
    [
      'C:\\Users\\Ann\\my words',
      'file:///C:/Users/Ann/my%20words/src/main.ts:3:7',
      'C:/Users/Ann/my words/src/other.ts:1:1',
    ],
    ['D:\\words', 'D:\\words\\src/main.ts:3:7', 'D:/words/src/other.ts:1:1'],
  ])('contains stack frames in %s, with paths relative to that folder', (root, first, second) => {
    const dependency = pathToFileURL('/srv/other/x.js').href
    expect(describeFailure(failed(`connect (${first})`, second, `${dependency}:1:1`), root)).toBe(
      'Error: no database\n    at connect (src/main.ts:3:7)\n    at src/other.ts:1:1',
    )
  })

  it('omits stack frames in dependencies of the project', () => {
    const frame = 'D:\\words\\node_modules\\x\\index.js:1:1'
    expect(describeFailure(failed(frame), 'D:\\words')).toBe('Error: no database')
  })
})
