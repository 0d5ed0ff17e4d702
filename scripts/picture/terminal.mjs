// Runs commands in a terminal, and reads what it shows.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import xterm from '@xterm/headless'

const columns = 88

/** Colours of a terminal that the commands use, by their number. */
const colors = { 1: 'red', 2: 'green', 3: 'yellow', 4: 'blue', 5: 'magenta', 6: 'cyan', 8: 'grey' }

/** A command in a pseudo-terminal, which script(1) of util-linux provides. */
export class Session {
  #screen = new xterm.Terminal({ cols: columns, rows: 60, allowProposedApi: true, convertEol: true })
  #child
  #text = ''

  constructor(command, { cwd, env = {} }) {
    const line = `stty columns ${columns} rows 60; exec ${command}`
    this.#child = spawn('script', ['--quiet', '--return', '--command', line, '/dev/null'], {
      cwd,
      env: { ...process.env, TERM: 'xterm-256color', FORCE_COLOR: '1', CI: '', ...env },
    })
    this.#child.stdout.on('data', (bytes) => {
      this.#text += bytes
      this.#screen.write(bytes)
    })
    this.#child.stderr.pipe(process.stderr)
  }

  /** Waits until the output matches. */
  async match(pattern) {
    for (;;) {
      const found = pattern.exec(this.#text)
      if (found !== null) return found
      if (this.#child.exitCode !== null) throw new Error(`the command ended before ${pattern}:\n${this.#text}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  async end() {
    if (this.#child.exitCode === null) await once(this.#child, 'close')
    if (this.#child.exitCode !== 0) throw new Error(`the command failed:\n${this.#text}`)
  }

  async stop() {
    this.#child.stdin.write('\x03')
    await once(this.#child, 'close')
  }

  /** Rows of the screen up to the last one with text. Each is a list of runs of characters with one style. */
  async rows() {
    await new Promise((resolve) => this.#screen.write('', resolve))
    const buffer = this.#screen.buffer.active
    const rows = Array.from({ length: buffer.length }, (_, y) => readRow(buffer.getLine(y)))
    return rows.slice(0, rows.findLastIndex((runs) => runs.length > 0) + 1)
  }
}

function readRow(line) {
  const runs = []
  for (let x = 0; x < columns; x++) {
    const cell = line.getCell(x)
    const text = cell.getChars() || ' '
    const style = [colors[cell.getFgColor()] ?? '', cell.isBold() ? 'bold' : '', cell.isDim() ? 'dim' : '']
    const kind = style.filter(Boolean).join(' ')
    const last = runs.at(-1)
    if (last?.kind === kind) last.text += text
    else runs.push({ x, kind, text })
  }
  return runs.filter(({ text }) => text.trim() !== '').map((run) => ({ ...run, text: run.text.trimEnd() }))
}
