// The official test suite of JSON Schema, commit 44401e0c, without remote documents: https://github.com/json-schema-org/JSON-Schema-Test-Suite
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { checkShape } from '@toolwright/schema'

interface Group {
  readonly description: string
  readonly schema: boolean | Readonly<Record<string, unknown>>
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[]
}

type Suite = Readonly<Record<string, readonly Group[]>>

const packed = readFileSync(join(__dirname, 'fixtures', 'json-schema-suite.json.gz'))
const suites = JSON.parse(gunzipSync(packed).toString('utf8')) as Readonly<Record<string, Suite>>

const dialects: Readonly<Record<string, string>> = {
  'draft2020-12': 'https://json-schema.org/draft/2020-12/schema',
  draft7: 'http://json-schema.org/draft-07/schema#',
}

const formats =
  'email idn-email regex ipv4 ipv6 idn-hostname hostname date date-time time json-pointer relative-json-pointer iri ' +
  'iri-reference uri uri-reference uri-template uuid duration'

// Formats are checked, because models need the message.
const checkedFormats = formats
  .split(' ')
  .map((name) => `format: ${name} format: invalid ${name} string is only an annotation by default`)

const refused: Readonly<Record<string, readonly string[]>> = {
  // Validators choose different ones of several schemas with the same $dynamicAnchor.
  'but several schemas with that $dynamicAnchor': [
    'dynamicRef: A $dynamicRef resolves to the first $dynamicAnchor still in scope that is encountered when the schema is evaluated',
    "dynamicRef: A $dynamicRef with intermediate scopes that don't include a matching $dynamicAnchor does not affect dynamic scope resolution",
    'dynamicRef: A $dynamicRef that initially resolves to a schema with a matching $dynamicAnchor resolves to the first $dynamicAnchor in the dynamic scope',
    'dynamicRef: multiple dynamic paths to the $dynamicRef keyword',
    'dynamicRef: after leaving a dynamic scope, it is not used by a $dynamicRef',
    'dynamicRef: $dynamicRef skips over intermediate resources - direct reference',
    'dynamicRef: $dynamicRef avoids the root of each schema, but scopes are still registered',
    'unevaluatedItems: unevaluatedItems with $dynamicRef',
    'unevaluatedProperties: unevaluatedProperties with $dynamicRef',
  ],
  // Schemas are not fetched, also those of dialects.
  'which is not part of the schema': [
    'definitions: validate definition against metaschema',
    'defs: validate definition against metaschema',
    'dynamicRef: strict-tree schema, guards against misspelled properties',
    'dynamicRef: tests for implementation dynamic anchor and reference link',
    'dynamicRef: $ref and $dynamicAnchor are independent of order - $defs first',
    'dynamicRef: $ref and $dynamicAnchor are independent of order - $ref first',
    'dynamicRef: $ref to $dynamicRef finds detached $dynamicAnchor',
    'ref: remote ref, containing refs itself',
  ],
  'is written in the dialect': [
    'vocabulary: schema that uses custom metaschema with with no validation vocabulary',
    'vocabulary: ignore unrecognized optional vocabulary',
  ],
}

// The keywords beside a $ref of draft-07 are checked: newer dialects, and the official clients, check these keywords, too.
const besideRef = [
  'ref: ref overrides any sibling keywords: ref valid, maxItems ignored',
  'ref: $ref prevents a sibling $id from changing the base uri: $ref resolves to /definitions/base_foo, data does not validate',
  'ref: $ref prevents a sibling $id from changing the base uri: $ref resolves to /definitions/base_foo, data validates',
]

const expected: Readonly<Record<string, readonly string[]>> = {
  'draft2020-12': checkedFormats,
  draft7: besideRef,
}

/** Returns the reason for which a schema is refused, if the reason is known. */
function reasonOf(error: unknown): string {
  const { message } = error as Error
  return Object.keys(refused).find((reason) => message.includes(reason)) ?? message
}

/** Returns the names of tests with another result, and the groups whose schema is refused by their reason. */
function differencesIn(draft: string): {
  readonly tests: readonly string[]
  readonly groups: Record<string, string[]>
} {
  const tests: string[] = []
  const groups: Record<string, string[]> = {}
  for (const [file, ofFile] of Object.entries(suites[draft] ?? {})) {
    for (const { description, schema, tests: ofGroup } of ofFile) {
      const name = `${file}: ${description}`
      const written = typeof schema === 'boolean' ? { allOf: [schema] } : schema
      const describeMistake = checkShape({ $schema: dialects[draft], ...written })
      try {
        for (const { description: test, data, valid } of ofGroup) {
          const mistake = describeMistake(data, 'the value')
          const isRight = valid ? mistake === null : mistake !== null && mistake !== 'the value must match the schema'
          if (!isRight) tests.push(`${name}: ${test}`)
        }
      } catch (error) {
        ;(groups[reasonOf(error)] ??= []).push(name)
      }
    }
  }
  return { tests, groups }
}

function allRefused(draft: string): Record<string, string[]> {
  const names = new Set(
    Object.entries(suites[draft] ?? {}).flatMap(([file, groups]) =>
      groups.map(({ description }) => `${file}: ${description}`),
    ),
  )
  const entries = Object.entries(refused).map(
    ([reason, groups]) => [reason, groups.filter((group) => names.has(group))] as const,
  )
  return Object.fromEntries(entries.filter(([, groups]) => groups.length > 0))
}

const { Function: RealFunction } = globalThis

afterEach(() => {
  globalThis.Function = RealFunction
})

/** As in Workers, which forbid code generation after modules are loaded. */
function forbidCodeGeneration(): void {
  globalThis.Function = new Proxy(RealFunction, {
    construct: () => {
      throw new EvalError('Code generation from strings disallowed for this context')
    },
  })
}

describe.each(Object.keys(dialects))('the official test suite of JSON Schema, %s', (draft) => {
  it('passes with compiled checks, except for a few known differences', () => {
    expect(differencesIn(draft)).toEqual({ tests: expected[draft], groups: allRefused(draft) })
  })

  it('passes in the same way where code generation is forbidden', () => {
    forbidCodeGeneration()
    expect(differencesIn(draft)).toEqual({ tests: expected[draft], groups: allRefused(draft) })
  })
})
