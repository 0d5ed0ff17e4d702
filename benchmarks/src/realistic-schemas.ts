// Generates JSON Schemas like those of servers for the API of a large service: 4 to 12 arguments with descriptions, enums, limits,
// formats, nullable values, lists of objects and filters. Many have the patterns that Zod writes beside formats.

type Schema = Record<string, unknown>

/** Creates a generator of numbers below 1 that yields the same numbers in each run. */
function createRandom(): () => number {
  let state = 42
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const nouns = ['project', 'branch', 'issue', 'label', 'release', 'pipeline', 'runner', 'member', 'comment', 'milestone']

const email = {
  type: 'string',
  format: 'email',
  pattern: "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
}

const dateTime = {
  type: 'string',
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d+)?)?(Z|[+-]([01]\\d|2[0-3]):[0-5]\\d)$',
}

const makers: readonly ((nested: () => Schema) => Schema)[] = [
  () => ({ type: 'string' }),
  () => ({ type: 'string', minLength: 1, maxLength: 255 }),
  () => ({ type: 'boolean', default: false }),
  () => ({ type: 'integer', minimum: 1, maximum: 100, default: 20 }),
  () => ({ type: 'number', exclusiveMinimum: 0 }),
  () => ({ type: 'string', enum: ['opened', 'closed', 'merged', 'all'] }),
  () => ({ anyOf: [{ type: 'string' }, { type: 'number' }] }),
  () => ({ anyOf: [{ type: 'string', maxLength: 100 }, { type: 'null' }] }),
  () => ({ type: 'array', items: { type: 'string' }, maxItems: 50 }),
  () => ({ type: 'object', additionalProperties: { type: 'string' } }),
  () => email,
  () => dateTime,
  () => ({ type: 'string', format: 'uri' }),
  (nested) => nested(),
  (nested) => ({ type: 'array', items: nested() }),
]

function createSchema(random: () => number, depth: number): Schema {
  const properties: Schema = {}
  const count = depth === 0 ? 4 + Math.floor(random() * 9) : 2 + Math.floor(random() * 3)
  for (let index = 0; index < count; index++) {
    const choice = depth > 1 ? makers.slice(0, -2) : makers
    const make = choice[Math.floor(random() * choice.length)] ?? (() => email)
    const noun = nouns[Math.floor(random() * nouns.length)] ?? ''
    const description = `The ${noun}, as its name or number`
    properties[`${noun}_${index}`] = { ...make(() => createSchema(random, depth + 1)), description }
  }
  return { type: 'object', properties, required: Object.keys(properties).slice(0, 2), additionalProperties: false }
}

/** Generates schemas. They are the same in each run. */
export function createRealisticSchemas(count: number): readonly Schema[] {
  const random = createRandom()
  return Array.from({ length: count }, () => createSchema(random, 0))
}

/** The schema of one argument, with the pattern that Zod writes for e-mail addresses. */
export const emailSchema = { type: 'object', properties: { name: { type: 'string' }, email } }
