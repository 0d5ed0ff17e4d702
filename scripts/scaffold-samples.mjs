// Creates a project from each sample with the packed packages, in an empty folder, as a user would: install, test, build,
// remove the development dependencies, start, and one call. Needs the npm registry, and one to two minutes for each sample.
//
//   npm run scaffold-samples                              pack everything, and try all samples
//   npm run scaffold-samples -- hello deploy              some of them
//   npm run scaffold-samples -- --tarballs FOLDER         use what `npm run pack` wrote
import { mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { readUrl, run as runProgram, start, stop, useFolder } from './rehearsal/run.mjs'

const root = join(import.meta.dirname, '..')

/** A call of each sample that has no side effects outside of it, and a part of its result. */
const calls = {
  minimal: ['count_words', { text: 'to be or not to be' }, '"words":6'],
  agent: ['find_rooms', { date: '2030-01-31' }, 'Lovelace'],
  apps: ['show_spending', { month: '2031-04' }, 'euros'],
  authorization: ['get_public_info', {}, 'users'],
  calculator: ['add_numbers', { a: 2, b: 3 }, '"sum":5'],
  'date-time': ['get_time', {}, 'UTC'],
  deploy: ['track_order', { order: '12' }, 'on its way'],
  docs: ['search_pages', { query: 'ranking' }, 'how-search-works'],
  everything: ['test_simple_text', {}, 'simple text'],
  expenses: ['count_expenses', {}, '"count":0'],
  hello: ['say_hello', { name: 'Ada' }, 'Hello, Ada!'],
  interactive: ['payments', { booking: 'none' }, '0 payments'],
  'issue-tracker': ['count_issues', {}, ''],
  // Each call needs a login.
  login: null,
  metrics: ['add', { a: 2, b: 3 }, '5'],
  notifications: ['heat', { degrees: 200 }, '200 degrees'],
  openapi: ['find_seeds', { sow: 'May' }, 'Kale'],
  prompts: ['list_dishes', { kitchen: 'martian' }, 'no martian kitchen'],
  resources: ['enter', { room: 'looms' }, '1 in looms'],
  'several-servers': ['shop_order', { article: 'tea', units: 2 }, 'Ordered 2 x tea'],
  skills: ['list_changes', {}, '2.3.1'],
  streams: ['record_temperature', { celsius: 21 }, '21'],
  tasks: ['render', { title: 'Metropolis', frames: 1 }, 'Rendered'],
  zod: ['list_bookings', { day: '2020-01-31' }, 'bookings'],
}

/** Keys of callers, as the variable that sets a key: calls send the key. */
const keys = { 'several-servers': { ADA_KEY: 'the-key-of-ada-01' } }

const { values, positionals } = parseArgs({ allowPositionals: true, options: { tarballs: { type: 'string' } } })
// Settings of the npm that started this script, such as its prefix, must not apply to the npm that it starts.
const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|PORT$|HOST$)/i.test(name))
const quiet = { npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' }
const env = { ...Object.fromEntries(inherited), ...quiet }

let failures = 0
await useFolder('scaffold-samples', trySamples)
process.stdout.write(failures === 0 ? '\nAll projects work.\n' : `\n${failures} projects failed.\n`)
process.exitCode = failures === 0 ? 0 : 1

async function trySamples(folder) {
  const tarballs = values.tarballs === undefined ? join(folder, 'packed') : resolve(values.tarballs)
  if (values.tarballs === undefined) await run(process.execPath, [join(root, 'scripts', 'pack.mjs'), tarballs], root)
  const create = await installCommand(folder, tarballs)
  const starters = JSON.parse(await run(process.execPath, [create, '--list', '--json'], folder))
  const unknown = positionals.filter((name) => !starters.some((starter) => starter.name === name))
  if (unknown.length > 0) throw new Error(`There is no sample ${unknown.join(', ')}`)
  const chosen = starters.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  const width = Math.max(...chosen.map(({ name }) => name.length))
  process.stdout.write(`${'sample'.padEnd(width)}  install    test   start    call\n`)
  for (const { name } of chosen) {
    const row = await trySample(name, { folder, tarballs, create })
    process.stdout.write(`${name.padEnd(width)}  ${row}\n`)
  }
}

/** Installs create-toolwright from its tarball, so that the samples are those that are packed with it. */
async function installCommand(folder, tarballs) {
  const path = join(folder, 'creator')
  mkdirSync(path)
  const { version } = JSON.parse(readFileSync(join(root, 'packages', 'create-toolwright', 'package.json'), 'utf8'))
  await run('npm', ['install', '--prefix', path, join(tarballs, `create-toolwright-${version}.tgz`)], path)
  return join(path, 'node_modules', 'create-toolwright', 'bin', 'create-toolwright.js')
}

async function trySample(name, { folder, tarballs, create }) {
  const path = join(folder, name)
  const cells = []
  const timed = async (step) => {
    const before = performance.now()
    await step()
    cells.push(`${((performance.now() - before) / 1000).toFixed(1)} s`.padStart(7))
  }
  try {
    if (!(name in calls)) throw new Error('scripts/scaffold-samples.mjs has no call for it')
    await run(
      process.execPath,
      [create, path, '--from', name, '--tarballs', tarballs, '--no-install', '--json'],
      folder,
    )
    const { engines, scripts } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
    if (!isSupported(engines.node)) return `skipped: it needs Node ${engines.node}`
    await timed(() => run('npm', ['install'], path))
    await timed(() => run('npm', ['test'], path))
    await run('npm', ['prune', '--omit=dev'], path)
    const [program, ...flags] = scripts.start.split(' ')
    const server = start(program, flags, { cwd: path, env: { ...env, ...keys[name], PORT: '0', METRICS_PORT: '0' } })
    try {
      let url = ''
      await timed(async () => {
        url = await readUrl(server, /serving MCP at (\S+)\n/)
      })
      if (calls[name] !== null) await timed(() => call(name, url))
    } finally {
      await stop(server)
    }
    if (server.exitCode !== 0) throw new Error(`the server ended with code ${server.exitCode}`)
    return cells.join(' ')
  } catch (error) {
    failures += 1
    return `${cells.join(' ')} failed: ${error.message}`
  }
}

function run(program, args, cwd) {
  return runProgram(program, args, { cwd, env })
}

async function call(name, url) {
  const [tool, args, expected] = calls[name]
  const [key] = Object.values(keys[name] ?? {})
  const client = new Client({ name: 'scaffold-samples', version: '1.0.0' })
  const requestInit = { headers: key === undefined ? {} : { 'x-api-key': key } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  const result = JSON.stringify(await client.callTool({ name: tool, arguments: args }))
  await client.close()
  if (!result.includes(expected) || result.includes('"isError":true')) throw new Error(`${tool} returned ${result}`)
}

/** Whether this version of Node is in a range such as `>=22.13`. */
function isSupported(range) {
  const [major, minor] = range.replace('>=', '').split('.').map(Number)
  const [ownMajor, ownMinor] = process.versions.node.split('.').map(Number)
  return ownMajor > major || (ownMajor === major && ownMinor >= minor)
}
