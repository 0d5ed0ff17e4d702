import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../samples/everything/dist/main.js', import.meta.url))
const startTimeoutMs = 60_000

/** Starts the sample with all fixtures of the suite, on a free port. Its log goes to a file. */
export async function startServer(node, logFile) {
  const env = { ...process.env, HOST: '127.0.0.1', PORT: '0' }
  const child = spawn(node, [program], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const log = createWriteStream(logFile)
  child.stdout.pipe(log)
  child.stderr.pipe(log)
  const exited = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGTERM')
    const [code] = await exited
    if (code !== 0)
      throw new Error(`samples/everything ended with code ${code} on SIGTERM. Its output is in ${logFile}`)
  }
  try {
    return { url: await readUrl(child, logFile), stop }
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
}

function readUrl(child, logFile) {
  return new Promise((resolve, reject) => {
    const fail = (what) => reject(new Error(`samples/everything ${what}. Its output is in ${logFile}`))
    const timer = setTimeout(() => fail(`did not listen within ${startTimeoutMs / 1000} s`), startTimeoutMs)
    child.once('exit', (code) => fail(`ended with code ${code}`))
    let printed = ''
    child.stdout.on('data', (chunk) => {
      printed += chunk
      const url = /serving MCP at (\S+)\n/.exec(printed)?.[1]
      if (url === undefined) return
      clearTimeout(timer)
      resolve(url)
    })
  })
}
