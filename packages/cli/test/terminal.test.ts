import { spawn } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'
import { Output } from '../../../test/support/output.js'
import { type SampleProcess, startSample } from '../../../test/support/sample.js'
import { program } from './run-command.js'

/** A command on a pseudo terminal, which `script` opens. It is a part of Debian's base system. */
function startOnTerminal(args: readonly string[]) {
  const line = [process.execPath, program, ...args].map((word) => `'${word}'`).join(' ')
  // A narrow terminal would break lines that the test looks for.
  const env = { ...process.env, TERM: 'xterm', CI: '', NO_COLOR: '' }
  const child = spawn('script', ['-qfec', `stty cols 120 rows 40; exec ${line}`, '/dev/null'], { env })
  const output = new Output([child.stdout])
  /** Waits for a prompt, and types. */
  const answer = async (prompt: RegExp, keys: string): Promise<void> => {
    await output.match(prompt)
    child.stdin.write(keys)
  }
  return { output, answer, close: () => child.stdin.end() }
}

const down = '\u001B[B'

let hotel: SampleProcess & { url: URL }

beforeAll(async () => {
  hotel = await startSample('interactive')
})

afterAll(() => hotel.stop())

it('toolwright call asks for missing arguments, and shows the forms of the server', async () => {
  const { output, answer, close } = startOnTerminal(['call', hotel.url.href, 'book_room'])
  await answer(/nights \(Number of nights\)/, '2\r')
  await answer(/Who books it\?[^]*Answer the server\?[^]*Cancel/, '\r')
  await answer(/◆ {2}Name/, 'Ann\r')
  await answer(/◆ {2}E-mail \[optional\]/, '\r')
  await answer(/Breakfast is paid at the hotel[^]*Answer the server\?[^]*Cancel/, '\r')
  await answer(/◆ {2}breakfast[^]*Buffet, 15 euros a night/, `${down}\r`)
  const [booking] = await output.match(/Booking [^\n]*\n/)
  close()
  // The progress has been removed before the result is printed.
  expect(output.text).toContain('\u001B[2KBooking ')
  expect(stripVTControlCharacters(booking)).toMatch(/: Ann, 2 nights, 180 euros paid, breakfast: buffet\.\r?\n$/)
})

it('toolwright call declines a form that the user declines', async () => {
  const { output, answer, close } = startOnTerminal(['call', hotel.url.href, 'book_room', '--nights', '1'])
  await answer(/Answer the server\?[^]*Cancel/, `${down}\r`)
  const [result] = await output.match(/Nothing was booked\./)
  close()
  expect(result).toBe('Nothing was booked.')
})
