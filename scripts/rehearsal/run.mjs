import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Characters of the output of a failed program that are shown. */
const maxShown = 3000

/** Variables of this machine that a stranger has as well. Others, such as the settings of npm, do not reach them. */
const inherited = /^(PATH|LANG|TMPDIR|TEMP|TMP|SystemRoot|ComSpec|PATHEXT|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR))$/i

export function inheritedVariables() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => inherited.test(name)))
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
    // Yarn would not write a lockfile where it finds a CI server.
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
 * @returns {Promise<string>} Its output.
 * @throws Error with the output of a program that fails.
 */
export async function run(program, args, { cwd, env }) {
  const child = start(program, args, { cwd, env })
  const read = collect(child)
  const [code] = await once(child, 'close')
  const output = read()
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with code ${code}\n${output.slice(-maxShown)}`)
  return output
}

/** Starts a program in a separate process group, so that `stop` also ends the programs that it starts. */
export function start(program, args, { cwd, env }) {
  const isWindows = process.platform === 'win32'
  return spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], shell: isWindows, detached: !isWindows })
}

export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'close')
  if (process.platform === 'win32') spawn('taskkill', ['/pid', String(child.pid), '/t', '/f'])
  else process.kill(-child.pid, 'SIGTERM')
  await ended
}

/** @returns {() => string} The output until now. */
export function collect(child) {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }
  return () => output
}
