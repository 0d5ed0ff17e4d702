import type { styleText } from 'node:util'
import { paint } from '../terminal.js'

type Style = Parameters<typeof styleText>[0]

/** Output of the command: text with colors on a terminal, and plain otherwise. */
export class Terminal {
  constructor(private readonly stream: NodeJS.WriteStream) {}

  get isTerminal(): boolean {
    return this.stream.isTTY
  }

  style(style: Style, text: string): string {
    return paint(this.stream, style, text)
  }

  print(text = ''): void {
    this.stream.write(`${text}\n`)
  }

  /**
   * Prints text beside a vertical line, below a title. The box has no right border, so that long lines are easy to
   * copy.
   */
  printBox(style: Style, title: string, text: string): void {
    const side = this.style(style, '│')
    const lines = text.split('\n').map((line) => `${side} ${line}`.trimEnd())
    this.print(['', `${this.style(style, '┌')} ${this.style(['bold', style as 'red'], title)}`, ...lines].join('\n'))
    this.print(`${this.style(style, '└')}\n`)
  }
}
