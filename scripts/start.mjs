// `npm start`: builds the calculator with the packages that it needs, and runs it.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url))
const sample = fileURLToPath(new URL('../samples/calculator', import.meta.url))
console.log('Building the calculator and its packages.')
const { status } = spawnSync(process.execPath, [tsc, '-b', sample], { stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)
if (process.env.npm_lifecycle_event === 'start') endWithNpm()
await import('../samples/calculator/dist/main.js')

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
