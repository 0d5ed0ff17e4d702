import { atPointer } from '../../src/json-pointer.js'

describe('atPointer', () => {
  const value = { list: [{ name: 'first' }], 'a/b': { '~c': 1 }, '': { '': 2 } }

  it.each([
    ['', value],
    ['/list/0/name', 'first'],
    ['/a~1b/~0c', 1],
    ['//', 2],
    ['/list/1/name', undefined],
    ['/list/0/name/length', undefined],
    ['/missing/deeper', undefined],
  ])('resolves %p', (pointer, found) => {
    expect(atPointer(value, pointer)).toBe(found)
  })
})
