import { count, Diagnostics, flag, nested, oneOf, readNamedOptions, required, text } from '@toolwright/core/options'

const rows = {
  size: count({ default: 10, max: 20 }),
  mode: oneOf(['fast', 'safe'], { default: null }),
  isOn: flag(),
  cache: nested({ ttlMs: count({ default: 5, min: 0 }), name: text({ pattern: /^[a-z]+$/, fix: 'Give a name.' }) }),
}

function read(given: object) {
  const diagnostics = new Diagnostics()
  const options = readNamedOptions(
    rows,
    given,
    { prefix: 'open: ', elsewhere: { path: 'Give it to listen.' } },
    diagnostics,
  )
  return { options, messages: diagnostics.found.map(({ message }) => message) }
}

describe('options that are described as data', () => {
  it('have defaults, also within nested options', () => {
    expect(read({})).toEqual({
      options: { size: 10, mode: null, isOn: undefined, cache: { ttlMs: 5, name: undefined } },
      messages: [],
    })
    expect(read({ size: undefined, cache: { name: 'a' } }).options).toEqual({
      size: 10,
      mode: null,
      isOn: undefined,
      cache: { ttlMs: 5, name: 'a' },
    })
  })

  it('report all wrong values and unknown names together, and take defaults in their place', () => {
    const given = { size: 21, mode: 'slow', isOn: 'no', cache: { ttlMs: 0.5, nam: 'b' }, path: '/', sise: 1 }
    expect(read(given)).toEqual({
      options: { size: 10, mode: null, isOn: undefined, cache: { ttlMs: 5, name: undefined } },
      messages: [
        'open: path is not an option. Give it to listen.',
        'open: sise is not an option. Did you mean size?',
        'open: size is 21. Give a whole number from 1 to 20.',
        "open: mode is the string 'slow'. Give 'fast' or 'safe'.",
        "open: isOn is the string 'no'. Give true or false.",
        'open: cache.nam is not an option. Did you mean name?',
        'open: cache.ttlMs is 0.5. Give a whole number of at least 0.',
      ],
    })
    expect(read({ cache: null }).messages).toEqual(['open: cache is null. Give an object.'])
  })

  it('are reported when they are required and absent', () => {
    const diagnostics = new Diagnostics()
    readNamedOptions({ name: required(text({ fix: 'Give a name.' })) }, {}, { prefix: '' }, diagnostics)
    expect(diagnostics.found).toEqual([{ code: 'bad-option', message: 'name is undefined. Give a name.' }])
  })
})
