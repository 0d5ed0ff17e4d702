import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** Output of the command: text with colors on a terminal, and plain otherwise. */
export class Terminal {
  readonly #isColored: boolean

  constructor(private readonly stream: NodeJS.WriteStream) {
    this.#isColored = stream.isTTY && (process.env['NO_COLOR'] ?? '') === '' && process.env['TERM'] !== 'dumb'
  }

  /** Whether a person reads the output. */
  get isTerminal(): boolean {
    return this.stream.isTTY
  }

  style(style: Style, text: string): string {
    return this.#isColored ? styleText(style, text) : text
  }

  /** Prints a line, or several. */
  print(text = ''): void {
    this.stream.write(`${text}\n`)
  }

  /** Prints text in a box, of which only the left side and a title are drawn: long lines are easy to copy. */
  printBox(style: Style, title: string, text: string): void {
    const side = this.style(style, '│')
    const lines = text.split('\n').map((line) => `${side} ${line}`.trimEnd())
    this.print(['', `${this.style(style, '┌')} ${this.style(['bold', style as 'red'], title)}`, ...lines].join('\n'))
    this.print(`${this.style(style, '└')}\n`)
  }
}
