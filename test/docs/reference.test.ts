import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from '@swc/core'
import * as auth from '@toolwright/auth'
import * as core from '@toolwright/core'
import * as fastify from '@toolwright/fastify'
import * as server from '@toolwright/server'
import * as toolwright from 'toolwright'
import { bootDiagnosticCodes, wireErrors } from 'toolwright'
import { markdownFiles, readPage, root } from './markdown.js'

const marker = /^<!-- members: (.+) -->$/

const pages = markdownFiles().filter((file) => file.startsWith('docs/reference/'))

interface MembersTable {
  readonly page: string
  /** `NAME FILE` of each interface or class whose members are in the table. */
  readonly declarations: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

const membersTables = pages.flatMap(readMembersTables)

test.each(membersTables.map((table) => [`${table.page}: ${table.declarations.join(', ')}`, table] as const))(
  '%s has a row for each member, and no other',
  (_name, { declarations, rows }) => {
    const members = declarations.flatMap(membersOf)
    expect(rows.map(([name = '']) => name.replaceAll('`', '')).toSorted()).toEqual(members.toSorted())
  },
)

test('the errors page has every error that can be on the wire, with its code and status', () => {
  const documented = rowsAfter('docs/reference/errors.md', '## Errors on the wire').map(
    ([kind = '', code, status]) => [unquote(kind), { code: Number(code), status: Number(status) }] as const,
  )
  expect(Object.fromEntries(documented)).toEqual(wireErrors)
})

test('the errors page has every boot problem, in order', () => {
  const documented = rowsAfter('docs/reference/errors.md', '## Boot problems').map(([code = '']) => unquote(code))
  expect(documented).toEqual([...bootDiagnosticCodes])
})

const namedInReference = new Set(
  [
    ...pages
      .map(readPage)
      .join('\n')
      .matchAll(/`@?([A-Za-z]+)[^`]*`/g),
  ].map(([, name]) => name),
)

test('the reference names every export of the package', () => {
  expect(Object.keys(toolwright).filter((name) => !namedInReference.has(name))).toEqual([])
})

test.each(['core', 'server', 'auth', 'fastify', 'redis'])('the reference names every type that %s exports', (name) => {
  const exported = exportsOf(`packages/${name}/src/index.ts`)
  expect(exported.length).toBeGreaterThan(1)
  expect(exported.filter((type) => !namedInReference.has(type))).toEqual([])
})

test('the README of schema names every export, including types', () => {
  const codes = [...readPage('packages/schema/README.md').matchAll(/`([^`\n]+)`/g)].map(([, code]) => code)
  expect(exportsOf('packages/schema/src/index.ts').filter((name) => !codes.includes(name))).toEqual([])
})

test('the testing page names every export of the package, including types', () => {
  const page = readPage('docs/reference/testing.md')
  const named = new Set([...page.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) => code.match(/\w+/g) ?? []))
  const source = readFileSync(join(root, 'packages/testing/src/index.ts'), 'utf8')
  const exported = [...source.matchAll(/\{(.+)\}/g)].flatMap(([, names = '']) => names.split(','))
  expect(exported.length).toBeGreaterThan(0)
  expect(exported.map((name) => name.replace('type ', '').trim()).filter((name) => !named.has(name))).toEqual([])
})

test.each([
  ['core', core],
  ['server', server],
  ['auth', auth],
  ['fastify', fastify],
])('all exports of %s are public, and exported by toolwright as well', (_name, exported) => {
  expect(Object.keys(exported).filter((name) => !(name in toolwright))).toEqual([])
})

/** The names that an index exports, including types. */
function exportsOf(index: string): string[] {
  const { body } = parseSync(readFileSync(join(root, index), 'utf8'), { syntax: 'typescript' })
  return body.flatMap((statement) => {
    if (statement.type !== 'ExportNamedDeclaration') return []
    return statement.specifiers.flatMap((specifier) =>
      specifier.type === 'ExportSpecifier' ? [(specifier.exported ?? specifier.orig).value] : [],
    )
  })
}

/** Tables with comments that name declarations in the code. Several tables of one declaration count as one. */
function readMembersTables(page: string): MembersTable[] {
  const lines = readPage(page).split('\n')
  const firsts = lines.flatMap((line, index) =>
    marker.test(line) && !marker.test(lines[index - 1] ?? '') ? [index] : [],
  )
  const tables = firsts.map((first) => {
    const end = lines.findIndex((line, index) => index > first && !marker.test(line))
    const declarations = lines.slice(first, end).map((line) => marker.exec(line)?.[1] ?? '')
    return { page, declarations, rows: rowsBelow(lines, first) }
  })
  const merged = new Map<string, MembersTable>()
  for (const table of tables) {
    const key = table.declarations.join()
    merged.set(key, { ...table, rows: [...(merged.get(key)?.rows ?? []), ...table.rows] })
  }
  return [...merged.values()]
}

function rowsAfter(page: string, heading: string): readonly (readonly string[])[] {
  const lines = readPage(page).split('\n')
  return rowsBelow(lines, lines.indexOf(heading))
}

/** The rows of the first table below a line, without its head. */
function rowsBelow(lines: readonly string[], line: number): readonly (readonly string[])[] {
  const first = lines.findIndex((text, index) => index > line && text.startsWith('| ---')) + 1
  const end = lines.findIndex((text, index) => index >= first && !text.startsWith('|'))
  return lines.slice(first, end).map(cellsOf)
}

function cellsOf(row: string): string[] {
  return row
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim())
}

function unquote(text: string): string {
  return text.replaceAll('`', '')
}

interface Member {
  readonly type: string
  readonly accessibility?: string
  readonly key?: { readonly type: string; readonly value?: string }
}

/** The public members of an interface or a class. */
function membersOf(declaration: string): string[] {
  const [name = '', file = ''] = declaration.split(' ')
  const { body } = parseSync(readFileSync(join(root, file), 'utf8'), { syntax: 'typescript', decorators: true })
  for (const item of body) {
    const declared = item.type === 'ExportDeclaration' ? item.declaration : item
    if (declared.type === 'TsInterfaceDeclaration' && declared.id.value === name) {
      return namesOf(declared.body.body as readonly Member[])
    }
    if (declared.type === 'ClassDeclaration' && declared.identifier.value === name) {
      return namesOf(declared.body as readonly Member[])
    }
  }
  throw new Error(`${file} declares no ${name}`)
}

function namesOf(members: readonly Member[]): string[] {
  const visible = members.filter(
    ({ type, key, accessibility }) =>
      type !== 'Constructor' && key?.type === 'Identifier' && accessibility !== 'private',
  )
  return [...new Set(visible.map(({ key }) => key?.value ?? ''))]
}
