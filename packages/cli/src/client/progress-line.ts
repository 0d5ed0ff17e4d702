import { cut, oneLine, paint } from '../terminal.js'

const barWidth = 24

/**
 * A line on the terminal with the progress of a call. Prints nothing without a terminal. The progress bar of the prompt
 * library is not used: it reads the keyboard, and exits on Ctrl+C before the call can be cancelled.
 */
export class ProgressLine {
  #shown = ''
  #isHidden = false

  constructor(private readonly output: NodeJS.WriteStream = process.stderr) {}

  show(text: string, done?: number, total?: number): void {
    if (!this.output.isTTY) return
    const share =
      total === undefined || total <= 0 || done === undefined ? null : Math.min(1, Math.max(0, done / total))
    const percent = share === null ? '' : ` ${String(Math.round(share * 100)).padStart(3)} %`
    const label = cut(oneLine(text), Math.max(10, (this.output.columns ?? 80) - barWidth - 8))
    this.#shown = `${share === null ? '' : `${drawBar(share, this.output)}${percent}  `}${paint(this.output, 'dim', label)}`
    if (!this.#isHidden) this.output.write(`\r\u001B[2K${this.#shown}`)
  }

  hide(): void {
    if (this.#shown !== '' && !this.#isHidden) this.output.write('\r\u001B[2K')
    this.#isHidden = true
  }

  reveal(): void {
    this.#isHidden = false
    if (this.#shown !== '') this.output.write(`\r\u001B[2K${this.#shown}`)
  }

  end(): void {
    this.hide()
    this.#shown = ''
    this.#isHidden = false
  }
}

function drawBar(share: number, output: NodeJS.WriteStream): string {
  const full = Math.round(share * barWidth)
  return paint(output, 'cyan', '━'.repeat(full)) + paint(output, 'dim', '━'.repeat(barWidth - full))
}
