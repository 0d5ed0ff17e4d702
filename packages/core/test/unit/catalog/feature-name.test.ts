import { checkName } from '../../../src/catalog/define/check-description.js'
import { toSnakeCase } from '../../../src/catalog/define/wire-name.js'
import { Diagnostics } from '../../../src/errors/diagnostics.js'

describe('toSnakeCase', () => {
  it.each([
    ['add', 'add'],
    ['addNumbers', 'add_numbers'],
    ['HTTPRequest', 'http_request'],
    ['getHTTPResponseCode', 'get_http_response_code'],
    ['parseJSON', 'parse_json'],
    ['getX', 'get_x'],
    ['aB', 'a_b'],
    ['ABC', 'abc'],
    ['sha256Hash', 'sha256_hash'],
    ['toBase64URL', 'to_base64_url'],
    ['v2', 'v2'],
    ['already_snake', 'already_snake'],
    ['mixed_caseName', 'mixed_case_name'],
    ['_private', '_private'],
    ['trailing_', 'trailing_'],
    ['$dollar', '$dollar'],
    ['', ''],
  ])('converts %p to %p', (method, name) => {
    expect(toSnakeCase(method)).toBe(name)
  })
})

describe('checkName', () => {
  function isTaken(name: unknown): boolean {
    const diagnostics = new Diagnostics()
    checkName('tool', name, 'Tools.add', diagnostics)
    return diagnostics.count === 0
  }

  it.each(['a', 'A-z_0.9', 'x'.repeat(128), '.', '-', '_', '0'])('accepts %p', (name) => {
    expect(isTaken(name)).toBe(true)
  })

  it.each(['', 'x'.repeat(129), 'a b', 'a/b', 'a\n', '\na', 'ä', 'a\u0000', '$a', 5, null, undefined, ['a']])(
    'rejects %p',
    (name) => {
      expect(isTaken(name)).toBe(false)
    },
  )
})
