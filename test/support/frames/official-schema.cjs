'use strict'

const { readFileSync } = require('node:fs')
const path = require('node:path')
const { Ajv } = require('ajv')
const { Ajv2020 } = require('ajv/dist/2020.js')
const addFormats = require('ajv-formats')

const folder = path.join(__dirname, '..', '..', '..', 'packages', 'core', 'test', 'spec')

/** The official JSON Schema of one revision. Its definitions are compiled on first use. */
class OfficialSchema {
  /** @type {Map<string, string>} Definition of each method's request or notification. */
  definitionOf = new Map()

  constructor(version) {
    const schema = JSON.parse(readFileSync(path.join(folder, version, 'schema.json'), 'utf8'))
    // From 2025-11-25 on, the schemas use another draft, with another name for the definitions.
    this.section = '$defs' in schema ? '$defs' : 'definitions'
    this.definitions = schema[this.section]
    // Only the first error is reported: a union would report those of each of its members.
    const options = { strict: false, logger: false, allErrors: false }
    this.ajv = this.section === '$defs' ? new Ajv2020(options) : new Ajv(options)
    addFormats(this.ajv)
    this.ajv.addSchema(schema, 'mcp')
    for (const [name, { properties }] of Object.entries(this.definitions)) {
      const method = properties?.method?.const
      if (/(Request|[^t]Notification)$/.test(name) && method !== undefined) this.definitionOf.set(method, name)
    }
  }

  has(definition) {
    return definition in this.definitions
  }

  /** @returns {readonly string[]} The errors of a value; empty when it is valid. */
  errorsOf(definition, value) {
    const validate = this.ajv.getSchema(`mcp#/${this.section}/${definition}`)
    if (validate === undefined) throw new Error(`The official schema has no ${definition}`)
    return validate(value) === true ? [] : [this.ajv.errorsText(validate.errors)]
  }
}

const schemas = new Map()

/** Compiled once for all test files of a process. */
function officialSchema(version) {
  const known = schemas.get(version) ?? new OfficialSchema(version)
  schemas.set(version, known)
  return known
}

module.exports = { officialSchema }
