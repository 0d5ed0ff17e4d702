import { LineReader, type LongLine } from '../src/stdio/lines.js'

/** `null` for a line that was too long. */
function textOf(line: Buffer | LongLine): string | null {
  return Buffer.isBuffer(line) ? line.toString() : null
}

/** The lines that are complete after each chunk, as strings. */
function read(maxBytes: number, ...chunks: readonly string[]): (string | null)[][] {
  const reader = new LineReader(maxBytes)
  return chunks.map((chunk) => reader.push(Buffer.from(chunk)).map(textOf))
}

describe('LineReader', () => {
  it('returns each line when it is complete', () => {
    expect(read(100, 'one\ntw', 'o', '\nthree', '\n\nfour')).toEqual([['one'], [], ['two'], ['three', '']])
  })

  it('removes the carriage return before a line break, also at a chunk boundary, and keeps others', () => {
    expect(read(100, 'one\r\ntwo\r', '\nth\rree\n\r\n')).toEqual([['one'], ['two', 'th\rree', '']])
  })

  it('joins a character that is split between two chunks', () => {
    const bytes = Buffer.from('ä€😀\n')
    const reader = new LineReader(100)
    const lines = [...bytes].flatMap((_, index) => reader.push(bytes.subarray(index, index + 1)))

    expect(lines.map(String)).toEqual(['ä€😀'])
  })

  it('drops a line that is too long, in one or many chunks, and continues with the next', () => {
    expect(read(5, '123456\n12345\n', '123', '456', '789\nnext\n')).toEqual([[null, '12345'], [], [], [null, 'next']])
  })

  it('limits the bytes of a line, not counting its line break', () => {
    expect(read(4, 'ää\n', 'äää\n')).toEqual([['ää'], [null]])
  })

  it('stores only the ends of a line that is too long', () => {
    const reader = new LineReader(5000)
    for (const letter of 'abcdefghij') expect(reader.push(Buffer.alloc(1000, letter))).toEqual([])

    const [long, next] = reader.push(Buffer.from('\nok\n'))
    const head = `${'a'.repeat(1000)}${'b'.repeat(1000)}${'c'.repeat(48)}`
    const tail = `${'h'.repeat(48)}${'i'.repeat(1000)}${'j'.repeat(1000)}`
    expect(long).toEqual({ head: Buffer.from(head), tail: Buffer.from(tail) })
    expect(next).toEqual(Buffer.from('ok'))
  })
})
