'use strict'

const { readFileSync } = require('node:fs')
const path = require('node:path')
const { Ajv } = require('ajv')
const { Ajv2020 } = require('ajv/dist/2020.js')
const addFormats = require('ajv-formats')

const folder = path.join(__dirname, '..', '..', '..', 'packages', 'core', 'test', 'spec')

/** The official JSON Schema of one revision. Its definitions are compiled when they are first asked for. */
class OfficialSchema {
  /** @type {Map<string, string>} Definition of each method's request or notification. */
  definitionOf = new Map()

  constructor(version) {
    const schema = JSON.parse(readFileSync(path.join(folder, version, 'schema.json'), 'utf8'))
    // From 2025-11-25 on the schemas are of another draft, and name the part with the definitions as that does.
    this.section = '$defs' in schema ? '$defs' : 'definitions'
    this.definitions = schema[this.section]
    // Its length tells a fault from a flood: a union would report the faults of each of its members.
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

  /** @returns {readonly string[]} What is wrong with a value; empty when it is valid. */
  errorsOf(definition, value) {
    const validate = this.ajv.getSchema(`mcp#/${this.section}/${definition}`)
    if (validate === undefined) throw new Error(`The official schema has no ${definition}`)
    return validate(value) === true ? [] : [this.ajv.errorsText(validate.errors)]
  }
}

const schemas = new Map()

/** Compiled once for all test files that a process runs. */
function officialSchema(version) {
  const known = schemas.get(version) ?? new OfficialSchema(version)
  schemas.set(version, known)
  return known
}

module.exports = { officialSchema }
