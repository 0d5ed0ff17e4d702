import { nodesOf, readSourceFiles } from './source-files.js'

const files = readSourceFiles()

test('only the protocol folder contains dates of revisions', () => {
  const date = /20\d\d-\d\d-\d\d/
  // The schema of the registry has other versions than the protocol.
  const registrySchema = /\/schemas\/20\d\d-\d\d-\d\d\/server\.schema\.json$/
  const offenders = files
    .filter(({ path }) => !path.startsWith('packages/core/src/protocol/'))
    .flatMap(({ path, body }) =>
      textsIn(body)
        .filter((text) => date.test(text) && !registrySchema.test(text))
        .map((text) => `${path} has ${JSON.stringify(text)}. Ask a Revision (protocol/revisions.ts) what it can do`),
    )
  expect(offenders).toEqual([])
})

test('the search for dates finds the dates in the protocol folder', () => {
  const revisions = files.find(({ path }) => path === 'packages/core/src/protocol/revisions.ts')
  expect(textsIn(revisions?.body)).toContain('2025-11-25')
})

test('core prints nothing, except for messages of a transport', () => {
  const offenders = files
    .filter(({ path }) => /^packages\/(?:core|server)\/src\/(?!stdio\/)/.test(path))
    .flatMap(({ path, body }) =>
      namesIn(body)
        .filter((name) => name === 'console' || name === 'stdout')
        .map((name) => `${path} uses ${name}, which would break a stdio client. Log with the server's logger`),
    )
  expect(offenders).toEqual([])
})

test('the search for output finds the stdio transport', () => {
  const stdout = files.find(({ path }) => path === 'packages/server/src/stdio/stdout.ts')
  expect(namesIn(stdout?.body)).toContain('stdout')
})

/** String literals, pieces of templates and regular expressions. */
function textsIn(tree: unknown): string[] {
  return [...nodesOf(tree)].flatMap((node) => {
    if (node.type === 'StringLiteral') return [String(node['value'])]
    if (node.type === 'TemplateElement') return [String(node['raw'])]
    return node.type === 'RegExpLiteral' ? [String(node['pattern'])] : []
  })
}

function namesIn(tree: unknown): string[] {
  return [...nodesOf(tree)].filter(({ type }) => type === 'Identifier').map((node) => String(node['value']))
}
