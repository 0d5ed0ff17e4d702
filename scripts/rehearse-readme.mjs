// Runs the commands of the README in a fresh clone, in their order: `npm run rehearse-readme`. A program that serves is
// stopped before the next block of commands, except for one that the next block calls.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { collect, inheritedVariables, run, start, stop, useFolder } from './rehearsal/run.mjs'

const root = join(import.meta.dirname, '..')
/** Time in ms for an installation, a build and the start of a server. */
const patienceMs = 1_200_000

// Without the settings of the npm that started this script. The home has the caches.
const env = { ...inheritedVariables(), HOME: process.env.HOME, PORT: '0', NO_COLOR: '1' }
let clone
let cwd
let serving = null
await useFolder('rehearse-readme', async (folder) => {
  clone = join(folder, 'toolwright')
  cwd = clone
  await run('git', ['clone', '--quiet', root, clone], { cwd: folder, env })
  for (const block of readBlocks()) await runBlock(block)
})
process.stdout.write('All commands of the README work.\n')

/** The blocks of commands, each with the output that follows it. */
function readBlocks() {
  const page = readFileSync(join(clone, 'README.md'), 'utf8')
  return [...page.matchAll(/```sh\n([^`]*)```\n(?:\n<!-- output: [^>]*-->\n```\w+\n([^`]*)```)?/g)].map(
    ([, commands, output]) => ({ lines: splitCommands(commands), output: output?.trim() }),
  )
}

/** Splits at line breaks, except within quotes and after a backslash. */
function splitCommands(commands) {
  return commands.replaceAll('\\\n', ' ').match(/(?:[^\n']|'[^']*')+/g)
}

async function runBlock({ lines, output }) {
  for (const line of lines) {
    const before = performance.now()
    const printed = await runLine(line)
    if (output !== undefined && printed.trim() !== output) throw new Error(`${line}\nprinted ${printed}`)
    process.stdout.write(
      `${((performance.now() - before) / 1000).toFixed(1).padStart(6)} s  ${line.split('\n')[0].slice(0, 90)}\n`,
    )
  }
}

async function runLine(line) {
  const [, target] = /^cd (\S+)$/.exec(line) ?? []
  if (target !== undefined) {
    cwd = resolve(cwd, target)
    return ''
  }
  const isCall = line.startsWith('curl ')
  if (serving !== null && !isCall) {
    await stop(serving.child)
    serving = null
  }
  const command = isCall ? line.replaceAll('http://127.0.0.1:3000/mcp', serving.url) : line
  const child = start('sh', ['-c', command], { cwd, env })
  const read = collect(child)
  return new Promise((done, fail) => {
    const timer = setTimeout(() => {
      const error = new Error(`${line} did not end\n${read()}`)
      void stop(child).then(() => fail(error))
    }, patienceMs)
    child.stdout.on('data', () => {
      const [, url] = /(?:serving MCP at|MCP) +(http:\S+)/.exec(read()) ?? []
      if (url === undefined || isCall || serving?.child === child) return
      clearTimeout(timer)
      serving = { child, url }
      done(read())
    })
    child.once('close', (code) => {
      clearTimeout(timer)
      if (code === 0) done(read())
      else fail(new Error(`${line} ended with code ${code}\n${read()}`))
    })
  })
}
