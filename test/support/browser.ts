// A headless Chromium from npm, for tests of pages.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Browser } from 'puppeteer-core'

const root = join(__dirname, '..', '..')
const folder = join(root, 'node_modules', '.cache', 'chromium-147')

/**
 * Replace the default arguments of the package, which turn off the same-origin policy: pages under test rely on it. Only
 * localhost names resolve, so that no page can reach a network.
 */
const args = [
  '--no-sandbox',
  '--no-zygote',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--font-render-hinting=none',
  '--hide-scrollbars',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
]

/** Launches a browser. The caller closes it. */
export async function launchBrowser(): Promise<Browser> {
  const { launch } = await import('puppeteer-core')
  return launch({ executablePath: unpackChromium(), args, headless: 'shell' })
}

/**
 * `describe` for tests that need the browser. If Chromium cannot start on this machine, they are skipped, and the output says
 * how to enable them. With `CI=true` they fail instead, but only on Linux: the package has no Chromium for other systems.
 */
export const describeInBrowser: typeof describe = whyNot() === null ? describe : describe.skip

/** Starts Chromium once, synchronously: Jest decides what to skip before any promise settles. */
function whyNot(): string | null {
  try {
    execFileSync(unpackChromium(), ['--version', '--no-sandbox'], { stdio: 'pipe', timeout: 60_000 })
    return null
  } catch (error) {
    if (process.env['CI'] === 'true' && process.platform === 'linux') throw error
    const reason = error instanceof Error ? error.message : String(error)
    process.stderr.write(
      'SKIPPED: the tests in a browser, because Chromium did not start.\n' +
        `${reason.split('\n').slice(0, 6).join('\n')}\n` +
        'To run them, install the libraries that it needs (on Debian: apt-get install libnss3 libnspr4), ' +
        'or set TOOLWRIGHT_TEST_CHROMIUM to the path of another Chromium.\n',
    )
    return reason
  }
}

/** Returns the path of the program. It is unpacked once and appears complete: several test files may start at once. */
function unpackChromium(): string {
  const given = process.env['TOOLWRIGHT_TEST_CHROMIUM']
  if (given !== undefined) return given
  const program = join(folder, 'chromium')
  if (existsSync(program)) return program
  mkdirSync(dirname(folder), { recursive: true })
  const unpacked = mkdtempSync(`${folder}-`)
  // Runs in a separate process: the package unpacks into the folder for temporary files.
  execFileSync(process.execPath, ['-e', "require('@sparticuz/chromium').executablePath()"], {
    cwd: root,
    env: { ...process.env, TMPDIR: unpacked, TMP: unpacked, TEMP: unpacked },
  })
  try {
    renameSync(unpacked, folder)
  } catch (error) {
    rmSync(unpacked, { recursive: true })
    if (!existsSync(program)) throw error
  }
  return program
}
