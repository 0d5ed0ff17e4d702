import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** Characters of the output of a failed program that are shown. */
const maxShown = 3000

/** Time in ms after which a program that should end is stopped: an installation, a build, tests. */
const limitMs = 10 * 60_000

/** Time in ms that a server may take to print its address. */
const startMs = 60_000

/** Time in ms for a graceful shutdown. */
const graceMs = 15_000

const interruptions = ['SIGINT', 'SIGTERM']

const isWindows = process.platform === 'win32'

/** Variables of this machine that a stranger has as well. Other variables, such as settings of npm, are not passed on. */
const inherited = /^(PATH|LANG|TMPDIR|TEMP|TMP|SystemRoot|ComSpec|PATHEXT|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR))$/i

/** The programs that are running. */
const running = new Set()
let isInterrupted = false

export function inheritedVariables() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => inherited.test(name)))
}

/**
 * Calls a function with a new folder for temporary files. At its end, and on Ctrl+C, stops the programs that still run, and
 * removes the folder.
 *
 * @param {boolean} [keep] Whether the folder stays.
 */
export async function useFolder(prefix, work, { keep = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), `${prefix}-`))
  const cleanUp = async () => {
    await Promise.all([...running].map(stop))
    if (keep) process.stdout.write(`The files are in ${folder}\n`)
    else rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
  const interrupt = (name) => {
    isInterrupted = true
    process.stderr.write(`\n${name}: stopping all programs\n`)
    void cleanUp().finally(() => process.exit(128 + constants.signals[name]))
  }
  for (const name of interruptions) process.once(name, interrupt)
  try {
    await work(folder)
  } finally {
    // After an interruption, its handler ends this process.
    if (!isInterrupted) await cleanUp()
    for (const name of interruptions) process.off(name, interrupt)
  }
}

/**
 * Creates the environment of a stranger: an empty home, which has only the local registry as a setting. So every cache is
 * empty, too.
 */
export function createEnvironment(folder, { url }) {
  const home = join(folder, 'home')
  mkdirSync(home)
  writeFileSync(join(home, '.npmrc'), `registry=${url}\nupdate-notifier=false\naudit=false\nfund=false\n`)
  return {
    ...inheritedVariables(),
    HOME: home,
    USERPROFILE: home,
    npm_config_registry: url,
    YARN_NPM_REGISTRY_SERVER: url,
    YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
    YARN_ENABLE_TELEMETRY: 'false',
    // Otherwise, Yarn writes no lockfile on a CI server.
    YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
    // By default, Yarn 4 and pnpm install a version a day after its release.
    YARN_NPM_MINIMAL_AGE_GATE: '0',
    npm_config_minimum_release_age: '0',
    NO_COLOR: '1',
  }
}

/** The environment with folders before all others in `PATH`. */
export function withPrograms(environment, folders) {
  return { ...environment, PATH: [...folders, environment.PATH].join(delimiter) }
}

/**
 * Runs a program to its end.
 *
 * @returns {Promise<string>} Its standard output.
 * @throws Error with the whole output of a program that fails, or does not end within 10 minutes.
 */
export async function run(program, args, { cwd, env }) {
  const child = start(program, args, { cwd, env })
  const readAll = collect(child)
  const read = collect(child, [child.stdout])
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    void stop(child)
  }, limitMs)
  const [code] = await once(child, 'close')
  clearTimeout(timer)
  if (code === 0 && !isLate) return read()
  const end = isLate ? `did not end within ${limitMs / 60_000} minutes` : `ended with code ${code}`
  throw new Error(`${program} ${args.join(' ')} ${end}\n${readAll().slice(-maxShown)}`)
}

/** Starts a program in a separate process group, so that `stop` also ends the programs that it starts. */
export function start(program, args, { cwd, env }) {
  if (isInterrupted) throw new Error('interrupted')
  const stdio = ['ignore', 'pipe', 'pipe']
  const child = spawn(program, args, { cwd, env, stdio, shell: isWindows, detached: !isWindows })
  running.add(child)
  child.once('close', () => running.delete(child))
  return child
}

/** Stops a program and the programs that it started, by force if they take too long. */
export async function stop(child) {
  if (!running.has(child)) return
  const ended = once(child, 'close')
  sendSignal(child, 'SIGTERM')
  const timer = setTimeout(() => sendSignal(child, 'SIGKILL'), graceMs)
  await ended
  clearTimeout(timer)
}

function sendSignal({ pid }, name) {
  if (isWindows) {
    spawn('taskkill', ['/pid', String(pid), '/t', '/f'])
    return
  }
  try {
    process.kill(-pid, name)
  } catch (error) {
    // All programs of the group have ended.
    if (error.code !== 'ESRCH') throw error
  }
}

/**
 * Reads the address that a server prints.
 *
 * @param {RegExp} pattern Its first group is the address.
 * @throws Error with the output, if the server ends or prints no address in a minute.
 */
export async function readUrl(server, pattern) {
  const read = collect(server)
  const end = performance.now() + startMs
  while (running.has(server) && performance.now() < end) {
    const [, url] = pattern.exec(read()) ?? []
    if (url !== undefined) return url
    await wait(20)
  }
  const problem = running.has(server) ? 'printed no address in a minute' : 'ended'
  throw new Error(`the server ${problem}\n${read().slice(-maxShown)}`)
}

/** @returns {() => string} The output from now on. */
export function collect(child, streams = [child.stdout, child.stderr]) {
  let output = ''
  for (const stream of streams) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }
  return () => output
}
