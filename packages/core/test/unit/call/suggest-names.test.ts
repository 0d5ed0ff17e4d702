import { suggestNames } from '../../../src/call/suggest-names.js'

describe('suggestNames', () => {
  const names = ['add_numbers', 'add_number', 'sub_numbers', 'multiply', 'divide', 'abc']

  it.each([
    ['add_numbrs', ['add_numbers', 'add_number']],
    ['add_numbersss', ['add_numbers', 'add_number']],
    ['ADD_NUMBERS', ['add_numbers', 'add_number', 'sub_numbers']],
    ['Divide', ['divide']],
    ['devide', ['divide']],
    ['mul', ['abc']],
    ['xyz', ['abc']],
    ['completely_different', []],
    ['', ['abc']],
  ])('of %p are %p', (unknown, suggestions) => {
    expect(suggestNames(unknown, names)).toEqual(suggestions)
  })

  it('are three at most: the nearest, and among equals the first by name', () => {
    expect(suggestNames('tool0', ['tool9', 'tool3', 'tool1', 'tool2', 'tool'])).toEqual(['tool', 'tool1', 'tool2'])
  })

  it('are not looked for when the name is longer than any can be', () => {
    expect(suggestNames('a'.repeat(128), ['a'.repeat(127)])).toEqual(['a'.repeat(127)])
    expect(suggestNames('a'.repeat(129), ['a'.repeat(128)])).toEqual([])
  })
})
