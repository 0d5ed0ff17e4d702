import { rewritePaths, rewriteReadme } from '../../src/sample-text.js'

it('rewrites paths of the clone', () => {
  const compose = 'build:\n      context: ../..\n      dockerfile: samples/deploy/Dockerfile\n    init: true\n'
  expect(rewritePaths(compose, 'deploy')).toBe('build:\n      context: .\n    init: true\n')
})

it('removes from a README the parts that only hold in the clone', () => {
  const readme = [
    '# Hello',
    'The smallest server,\nsee [the page](../../docs/page.md).',
    '```sh\nnpm run build                     # at the root of the repository\nnode samples/hello/dist/main.js   # serves\n```',
    '<!-- only in the repository -->\nIn the clone.\n<!-- end -->',
    '| File | Shows |\n| --- | --- |\n| `src/main.ts` | all |\n| `test/host.ts` | a test |',
    '`test/sample.test.ts` drives the program\nin both eras.',
    'See [Redis](https://redis.io).',
  ].join('\n\n')

  expect(rewriteReadme(readme, 'hello')).toEqual({
    introduction: 'The smallest server, see the page.',
    rest: [
      '```sh\nnpm run build\nnode dist/main.js   # serves\n```',
      '| File | Shows |\n| --- | --- |\n| `src/main.ts` | all |',
      'See [Redis](https://redis.io).',
    ].join('\n\n'),
  })
})
