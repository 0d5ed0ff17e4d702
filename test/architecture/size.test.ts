import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodesOf, readSourceFiles, root, type SourceFile } from './source-files.js'

// To raise a number is part of a review: see "Before you add something" in CONTRIBUTING.md.

const files = readSourceFiles()

/** Lines of code of packages, without blank lines and comments. */
const maxLines = { core: 17_526, schema: 2_239, sessions: 1_601, tasks: 912 }

/** Names that each entry exports, with types. */
const maxNames: Readonly<Record<string, number>> = {
  'schema/index': 32,
  'core/index': 245,
  'core/extension': 17,
  'core/host': 58,
  'core/options': 39,
  'core/reports': 10,
  'core/store': 4,
  'core/transport': 12,
  'core/wire': 11,
  'server/index': 49,
  'server/host': 8,
  'server/program': 3,
  'sessions/index': 13,
  'tasks/index': 14,
  'fastify/index': 11,
  'fastify/internal': 20,
  'auth/index': 19,
}

const maxMembers = 25

/** Docstrings for each 1,000 lines of code, in all packages. */
const maxDocstrings = 72

interface Lines {
  readonly code: number
  readonly docstrings: number
}

function countLines({ path }: SourceFile): Lines {
  let code = 0
  let docstrings = 0
  let isInComment = false
  for (const line of readFileSync(join(root, path), 'utf8').split('\n')) {
    const text = line.trim()
    const begins = !isInComment && text.startsWith('/*')
    if (begins && text.startsWith('/**')) docstrings++
    if (!isInComment && !begins && text !== '' && !text.startsWith('//')) code++
    if (begins || isInComment) isInComment = !text.includes('*/')
  }
  return { code, docstrings }
}

function sum(counted: readonly Lines[], key: keyof Lines): number {
  return counted.reduce((total, lines) => total + lines[key], 0)
}

/** Names of the members of a class: methods, accessors, fields, and parameters of the constructor that are fields. */
function membersOf(body: readonly { readonly type: string; readonly key?: unknown; readonly params?: unknown }[]) {
  return new Set(
    body.flatMap(({ type, key, params }) => {
      if (type !== 'Constructor') return type === 'StaticBlock' ? [] : [nameOf(key)]
      return [...nodesOf(params)].filter((node) => node.type === 'TsParameterProperty').map(nameOf)
    }),
  )
}

/** The first name in a part of a syntax tree. */
function nameOf(tree: unknown): string {
  const nodes = [...nodesOf(tree)]
  const prefix = nodes[0]?.type === 'PrivateName' ? '#' : ''
  return prefix + String(nodes.find(({ value }) => typeof value === 'string')?.['value'])
}

function* classesOf({ body, path }: SourceFile): Generator<readonly [string, number]> {
  for (const node of nodesOf(body)) {
    if (node.type !== 'ClassDeclaration') continue
    const { identifier, body: members } = node as unknown as { identifier: { value: string }; body: never[] }
    yield [`${path}: ${identifier.value}`, membersOf(members).size]
  }
}

function namesOf(entry: string): number {
  const [name = '', file = ''] = entry.split('/')
  const text = readFileSync(join(root, 'packages', name, 'src', `${file}.ts`), 'utf8')
  return [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)]
    .flatMap(([, names = '']) => names.split(','))
    .filter((one) => one.trim() !== '').length
}

test.each(Object.entries(maxLines))('%s has at most %i lines of code', (name, max) => {
  const lines = files.filter((file) => file.package === name).map(countLines)
  expect(sum(lines, 'code')).toBeLessThanOrEqual(max)
})

test.each(Object.entries(maxNames))('%s exports at most %i names', (entry, max) => {
  expect(namesOf(entry)).toBeLessThanOrEqual(max)
})

test('classes have few members', () => {
  const large = files
    .filter((file) => Object.hasOwn(maxLines, file.package))
    .flatMap((file) => [...classesOf(file)])
    .map(([place, members]) => [place.split(': ')[1] ?? '', members] as const)
    .filter(([name, members]) => name !== 'McpContext' && members > maxMembers)
  expect(Object.fromEntries(large)).toEqual({})
})

test('docstrings are rare enough to be read', () => {
  const lines = files.map(countLines)
  expect((1000 * sum(lines, 'docstrings')) / sum(lines, 'code')).toBeLessThanOrEqual(maxDocstrings)
})
