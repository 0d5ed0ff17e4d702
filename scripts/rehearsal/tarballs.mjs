import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { run } from './run.mjs'
import { formatSize } from './table.mjs'

/** Files that users do not need. Templates of projects contain tests. */
const needless = /^(?!templates\/).*(^|\/)((test|node_modules)\/|[^/]+\.(test|spec|tst)\.\w+$|[^/]*tsbuildinfo$)/

/** Checks each published package: its files, its manifest with publint, and its types with arethetypeswrong. */
export async function* checkTarballs(folder, env, published) {
  const tools = join(folder, 'tools')
  mkdirSync(tools)
  await run('npm', ['install', '--prefix', tools, 'publint@0.3', '@arethetypeswrong/cli@0.18'], { cwd: tools, env })
  const bin = (name) => join(tools, 'node_modules', '.bin', name)
  for (const { name, version, tarball } of published) {
    const path = join(folder, 'published', name.replace('/', '-'))
    mkdirSync(path, { recursive: true })
    const file = join(path, 'package.tgz')
    const bytes = Buffer.from(await (await fetch(tarball)).arrayBuffer())
    writeFileSync(file, bytes)
    await run('tar', ['-xzf', file, '-C', path], { cwd: path, env })
    const unpacked = join(path, 'package')
    const files = listFiles(unpacked)
    const manifest = readJson(join(unpacked, 'package.json'))
    const wrong = [...findWrongFiles(unpacked, files), ...findWrongVersions(manifest, version)]
    // A package without an entry is a program.
    const hasTypes = manifest.exports?.['.'] !== undefined
    const [linted, typed] = await Promise.all([
      findFault(bin('publint'), ['run', file, '--strict'], { cwd: path, env }),
      hasTypes ? findFault(bin('attw'), [file, '--profile', 'esm-only'], { cwd: path, env }) : [],
    ])
    const sum = files.reduce((size, each) => size + statSync(join(unpacked, each)).size, 0)
    yield {
      name: `${name} ${version}`,
      cells: [
        String(files.length),
        formatSize(bytes.length),
        formatSize(sum),
        wrong.length === 0 ? 'ok' : 'wrong',
        linted.length === 0 ? 'ok' : 'wrong',
        typed.length === 0 ? (hasTypes ? 'ok' : '-') : 'wrong',
      ],
      problems: [...wrong, ...linted, ...typed],
    }
  }
}

function findWrongFiles(folder, files) {
  const missing = ['LICENSE', 'README.md'].filter((file) => !files.includes(file)).map((file) => `has no ${file}`)
  const extra = files.filter((file) => needless.test(file)).map((file) => `contains ${file}`)
  return [
    ...missing,
    ...extra,
    ...files.filter((file) => file.endsWith('.map')).flatMap((map) => checkMap(folder, map)),
  ]
}

/**
 * Sources that are in no package: those of bundled libraries, two of which are our packages that the CLI contains, and modules
 * that the bundler wrote, such as `load-when-used:pino`.
 */
const outside = /node_modules|load-when-used:|^\.\.\/(?:client|streams)\/src\//

/** Source maps must lead to sources in the package, and must not repeat them. */
function checkMap(folder, file) {
  const { sources, sourcesContent = [] } = readJson(join(folder, file))
  if (sourcesContent.some((text) => text !== null)) return [`${file} repeats its sources`]
  return sources
    .map((source) => normalize(join(dirname(file), source)))
    .filter((source) => !outside.test(source) && !existsSync(join(folder, source)))
    .map((source) => `${file} names ${source}, which is not in the package`)
}

/** All packages are released together, and depend on each other's version. */
function findWrongVersions({ dependencies = {}, peerDependencies = {} }, version) {
  return Object.entries({ ...dependencies, ...peerDependencies })
    .filter(([name, range]) => /^(@toolwright\/|(create-)?toolwright$)/.test(name) && range !== version)
    .map(([name, range]) => `depends on ${name} ${range}`)
}

async function findFault(program, args, options) {
  try {
    await run(program, args, options)
    return []
  } catch (error) {
    return [error.message]
  }
}

function listFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'))
}
