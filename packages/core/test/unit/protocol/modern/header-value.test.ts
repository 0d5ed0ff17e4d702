import { decodeHeaderValue } from '../../../../src/protocol/modern/read-request.js'

const encode = (text: string | Buffer) => `=?base64?${Buffer.from(text as string).toString('base64')}?=`

describe('decodeHeaderValue', () => {
  it.each(['', 'plain', 'with space and\ttab', '~!"#$%&\'()', '42', '=?', '?=', '=?base64', '=?base64?='])(
    'returns the plain value %p unchanged',
    (value) => {
      expect(decodeHeaderValue(value)).toBe(value)
    },
  )

  it.each(['', 'plain', 'größe', '日本語', '😀', ' padded ', 'line\nbreak', '\u0000', '=?base64?eA==?='])(
    'decodes %p',
    (text) => {
      expect(decodeHeaderValue(encode(text))).toBe(text)
    },
  )

  it('returns values with an incomplete or upper-case Base64 marker unchanged', () => {
    expect(decodeHeaderValue('=?BASE64?eA==?=')).toBe('=?BASE64?eA==?=')
    expect(decodeHeaderValue('=?Base64?eA==?=')).toBe('=?Base64?eA==?=')
    expect(decodeHeaderValue('=?base64?eA==')).toBe('=?base64?eA==')
    expect(decodeHeaderValue(' =?base64?eA==?=')).toBe(' =?base64?eA==?=')
  })

  it.each(['größe', 'a\nb', 'a\u0000', '\u007f', '日本語', '😀'])('rejects %p, which HTTP does not allow', (value) => {
    expect(decodeHeaderValue(value)).toBeNull()
  })

  it.each([
    ['missing padding', '=?base64?eA?='],
    ['too much padding', '=?base64?eHh4=?='],
    ['padding in the middle', '=?base64?eA==eA==?='],
    ['non-zero padding bits', '=?base64?eB==?='],
    ['the URL alphabet', '=?base64?-_-_?='],
    ['spaces', '=?base64? eA== ?='],
    ['other characters', '=?base64?e*==?='],
    ['invalid UTF-8', encode(Buffer.from([0xff, 0xfe]))],
    ['a lone surrogate', encode(Buffer.from([0xed, 0xa0, 0x80]))],
    ['an overlong encoding', encode(Buffer.from([0xc0, 0x80]))],
  ])('rejects Base64 with %s', (_what, value) => {
    expect(decodeHeaderValue(value)).toBeNull()
  })

  it('keeps a byte order mark as a character', () => {
    expect(decodeHeaderValue(encode('\ufeffx'))).toBe('\ufeffx')
  })
})
