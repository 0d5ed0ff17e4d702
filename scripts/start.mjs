// `npm start`: builds the calculator with the packages that it needs, and runs it. `npm start -- hello` runs another sample.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '..')
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
const samples = join(root, 'samples')
const [name = 'calculator'] = process.argv.slice(2).filter((argument) => !argument.startsWith('-'))
if (!findSamples().includes(name)) {
  console.error(`There is no sample '${name}'. Use one of: ${findSamples().join(', ')}.`)
  process.exit(64)
}
const sample = join(samples, name)
console.log(`Building the sample ${name} and its packages.`)
const { status } = spawnSync(process.execPath, [tsc, '-b', sample], { stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)
if (process.env.npm_lifecycle_event === 'start') endWithNpm()
await import(pathToFileURL(join(sample, 'dist', 'main.js')).href)

function findSamples() {
  return readdirSync(samples).filter((folder) => existsSync(join(samples, folder, 'src', 'main.ts')))
}

/** Ends this process with npm's shell. A signal for npm reaches that shell, which does not forward it to its child. */
function endWithNpm() {
  const shell = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(watch)
    process.kill(process.pid, 'SIGTERM')
  }, 250)
  watch.unref()
}
