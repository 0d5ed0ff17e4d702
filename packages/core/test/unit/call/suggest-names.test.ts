import { suggestNames } from '../../../src/call/unknown-feature.js'

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
  ])('returns for %p the names %p', (unknown, suggestions) => {
    expect(suggestNames(unknown, names)).toEqual(suggestions)
  })

  it('returns the three nearest names at most, equally near names in alphabetical order', () => {
    expect(suggestNames('tool0', ['tool9', 'tool3', 'tool1', 'tool2', 'tool'])).toEqual(['tool', 'tool1', 'tool2'])
  })

  it('returns nothing for a name that is longer than any valid name', () => {
    expect(suggestNames('a'.repeat(128), ['a'.repeat(127)])).toEqual(['a'.repeat(127)])
    expect(suggestNames('a'.repeat(129), ['a'.repeat(128)])).toEqual([])
  })
})
