import { missingArguments, readToolArguments } from '../../src/client/tool-arguments.js'

const references = (name: string, count: number) => Array.from({ length: count }, () => ({ $ref: `#/$defs/${name}` }))

/** Two definitions of 30 alternatives each, which refer to each other: 30 to the power of the depth. */
const $defs = {
  a: { anyOf: references('b', 30) },
  b: { oneOf: references('a', 30) },
  all: { allOf: references('other', 30) },
  other: { allOf: [...references('all', 30), ...references('a', 30)] },
  list: { type: 'array', items: { $ref: '#/$defs/list' } },
}

it.each(['a', 'all', 'list'])('the schema %s is read at once, though it refers to itself', async (name) => {
  const schema = { type: 'object', properties: { x: { $ref: `#/$defs/${name}` } }, required: ['x'], $defs }
  const started = process.cpuUsage()
  expect(missingArguments({}, schema)).toHaveLength(1)
  await readToolArguments(['--x', '[1]'], schema)
  const { user } = process.cpuUsage(started)
  // The walk of all paths takes minutes.
  expect(user / 1000).toBeLessThan(2000)
})
