import { describeValue } from '../../../src/errors/describe-value.js'

describe('describeValue', () => {
  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    [5, '5'],
    [Number.NaN, 'NaN'],
    [5n, '5'],
    [true, 'true'],
    [Symbol('s'), 'Symbol(s)'],
    ['text', "the string 'text'"],
    ['x'.repeat(200), `the string '${'x'.repeat(128)}…'`],
    [[1], 'an array'],
    [{}, 'a plain object'],
    [Object.create(null), 'a plain object'],
    [Object.create(Object.create(null)), 'a plain object'],
    [new Date(0), 'an instance of Date'],
    [new (class {})(), 'an instance of a class without a name'],
    [class Named {}, 'the class Named'],
    [class {}, 'a class without a name'],
    [() => 1, 'a function without a name'],
    [Math.max, 'the function max'],
  ])('describes %p as %p', (value, description) => {
    expect(describeValue(value)).toBe(description)
  })
})
