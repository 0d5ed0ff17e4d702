import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Version } from './client.js'

const compiled = new Map<Version, Ajv>()

/** What the official schema of a revision finds wrong with a value; empty when it is valid. */
export function faultsOf(version: Version, definition: string, value: unknown): readonly string[] {
  const ajv = compiled.get(version) ?? compile(version)
  const section = version < '2025-11-25' ? 'definitions' : '$defs'
  const validate = ajv.getSchema(`mcp#/${section}/${definition}`)
  if (validate === undefined) throw new Error(`${version} has no ${definition}`)
  return validate(value) === true ? [] : [ajv.errorsText(validate.errors)]
}

function compile(version: Version): Ajv {
  const schema = JSON.parse(readFileSync(join(__dirname, '..', 'spec', version, 'schema.json'), 'utf8')) as object
  const options = { strict: false, logger: false, allErrors: true } as const
  const ajv = version < '2025-11-25' ? new Ajv(options) : new Ajv2020(options)
  addFormats.default(ajv)
  ajv.addSchema(schema, 'mcp')
  compiled.set(version, ajv)
  return ajv
}
