import { readSourceFiles, type SourceFile } from './source-files.js'

const files = readSourceFiles()

const packages = ['sessions', 'tasks']

/** Packages, and the folders of the package server, which could be separate packages. */
const neighbours = new Map(packages.map((name) => [name, files.filter((file) => file.package === name)]))
for (const file of files.filter((one) => one.package === 'server')) {
  const [, folder] = /^packages\/server\/src\/([^/]+)\//.exec(file.path) ?? []
  if (folder !== undefined) neighbours.set(folder, [...(neighbours.get(folder) ?? []), file])
}

/** Maximum number of names that a neighbour imports from core. If a neighbour needs more, the seam is wrong. */
const maxNames = 15

/**
 * Neighbours that import more names. `stdio` is a transport: it uses what every transport uses. Half of the names of `agents`
 * describe its options.
 */
const exceptions: Readonly<Record<string, number>> = { agents: 18, stdio: 21 }

/** Entries for neighbours. `/host` is not public, and changes together with the neighbours. */
const entries = ['', '/extension', '/host', '/options', '/reports', '/store', '/transport'].map(
  (entry) => `@toolwright/core${entry}`,
)

/** The names that a file imports from core, with types. */
function namesFromCore({ body }: SourceFile): readonly string[] {
  return body.flatMap((item) =>
    item.type === 'ImportDeclaration' && item.source.value.startsWith('@toolwright/core')
      ? item.specifiers.map(({ local, ...specifier }) =>
          'imported' in specifier && specifier.imported ? specifier.imported.value : local.value,
        )
      : [],
  )
}

/** The packages that a package imports. */
function importsOf(name: string): readonly string[] {
  const specifiers = files.filter((file) => file.package === name).flatMap(({ imports }) => imports)
  return [...new Set(specifiers.filter(({ file }) => file === null).map(({ specifier }) => specifier))].toSorted()
}

test('core imports no other package of this repository than schema', () => {
  expect(importsOf('core').filter((specifier) => /^@?toolwright/.test(specifier))).toEqual(['@toolwright/schema'])
})

test('schema imports only TypeBox, and nothing of MCP or Node', () => {
  expect(importsOf('schema').filter((specifier) => !specifier.startsWith('typebox'))).toEqual([])
})

test.each([...neighbours.keys()])('%s imports few names from core, all from its entries', (name) => {
  const own = neighbours.get(name) ?? []
  const internal = own.flatMap(({ path, imports }) =>
    imports
      .filter(({ specifier }) => specifier.startsWith('@toolwright/core') && !entries.includes(specifier))
      .map(({ specifier }) => `${path} imports ${specifier}`),
  )
  expect(internal).toEqual([])
  const names = [...new Set(own.flatMap(namesFromCore))].toSorted()
  const limit = exceptions[name] ?? maxNames
  expect(names.length > limit ? names : []).toEqual([])
})

test('neighbours do not import each other', () => {
  const imports = [...neighbours].flatMap(([name, own]) =>
    own.flatMap(({ path, imports: all }) =>
      all
        .filter(({ file }) => /^packages\/server\/src\/([^/]+)\//.exec(file ?? '')?.[1] !== name)
        .filter(({ file }) => /^packages\/server\/src\/[^/]+\//.test(file ?? ''))
        .map(({ file }) => `${path} imports ${file}`),
    ),
  )
  expect(imports).toEqual([])
})
