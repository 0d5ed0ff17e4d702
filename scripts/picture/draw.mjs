// Draws docs/images/first-minutes-*.svg from the real programs: a project is created, served, changed, and called from the
// inspector. Needs script(1) of util-linux. Run `npm run build` and `npm run pack` first: the project installs the tarballs.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useTheme, withPage } from './browser.mjs'
import { drawPicture } from './svg.mjs'
import { Session } from './terminal.mjs'

const root = join(import.meta.dirname, '..', '..')
const folder = mkdtempSync(join(tmpdir(), 'picture-'))
const project = join(folder, 'my-server')
const viewport = { width: 1040, height: 600, deviceScaleFactor: 1.5 }

const newTool = `
  @McpTool({ description: 'Reverses the words of a text', input: CountInput })
  reverseWords({ text }: Static<typeof CountInput>): string {
    return text.split(' ').toReversed().join(' ')
  }
}
`

try {
  await draw()
} finally {
  rmSync(folder, { recursive: true })
}

async function draw() {
  const create = new Session('toolwright new my-server --yes --no-git', { cwd: folder, env: { PATH: withCommand() } })
  await create.end()
  const created = await create.rows()

  const dev = new Session('npx toolwright dev', { cwd: project })
  const [, inspector] = await dev.match(/inspector.*?(http:\/\/[\w.:/]+)/)
  await dev.match(/tools.*count_words/)
  const file = join(project, 'src', 'tools', 'word-tools.ts')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/\n}\s*$/, `\n${newTool}`))
  await dev.match(/\+reverse_words/)
  const shots = await takeScreenshots(inspector)
  await dev.match(/tools\/call[^]*count_words[^]*ok/)
  const served = await dev.rows()
  await dev.stop()

  const rows = schedule([
    ...prompt('toolwright new my-server', created),
    ...prompt('cd my-server && npx toolwright dev', served),
  ])
  for (const [theme, bytes] of Object.entries(shots)) {
    const shot = { bytes, ...viewport, second: rows.at(-1).second - 0.9 }
    const svg = drawPicture(theme, rows, shot)
    writeFileSync(join(root, 'docs', 'images', `first-minutes-${theme}.svg`), svg)
    console.log(`first-minutes-${theme}.svg: ${rows.length} rows, ${Math.ceil(svg.length / 1024)} kB`)
  }
}

/** Returns `PATH` with a new first folder, which has the command `toolwright` of the clone. */
function withCommand() {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  symlinkSync(join(root, 'packages', 'cli', 'bin', 'toolwright.js'), join(bin, 'toolwright'))
  return `${bin}:${process.env.PATH}`
}

async function takeScreenshots(url) {
  return withPage(viewport, async (page) => {
    await page.goto(`${url}#/tools/count_words`)
    await page.waitForSelector('[data-state=ready]')
    const field = await page.waitForSelector('[data-field="text"] :is(input, textarea)')
    await field.type('to be or not to be')
    await page.click('.detail button.primary')
    await page.waitForSelector('.result[data-status=done]')
    await page.mouse.move(0, 0)
    const shots = {}
    for (const theme of ['light', 'dark']) {
      await useTheme(page, theme)
      shots[theme] = Buffer.from(await page.screenshot({ type: 'webp', quality: 82 }))
    }
    return shots
  })
}

/** Puts the command before its output. */
function prompt(command, output) {
  return [
    [
      { x: 0, kind: 'dim', text: '$' },
      { x: 2, kind: 'bold', text: command },
    ],
    ...output,
    [],
  ]
}

/** Rows appear one after the other: a moment after a command, and after each event of the server. */
function schedule(rows) {
  let second = 0
  return rows.map((runs) => {
    const [first] = runs
    const isCommand = first?.text === '$'
    const isEvent = /^(reloaded|tools\/call)/.test(first?.text ?? '')
    second += isCommand || isEvent ? 1.1 : 0.05
    const at = second
    if (isCommand) second += 0.6
    return { runs, second: at }
  })
}
