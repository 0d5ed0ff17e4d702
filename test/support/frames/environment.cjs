'use strict'

const { TestEnvironment } = require('jest-environment-node')
const { Judge } = require('./judge.cjs')
const { officialSchema } = require('./official-schema.cjs')

/** Node, with a judge of frames that lives outside: its schemas are compiled once, not again in each test file. */
module.exports = class FrameEnvironment extends TestEnvironment {
  async setup() {
    await super.setup()
    this.global.frames = new Judge()
    this.global.officialFaults = (version, definition, value) => officialSchema(version).errorsOf(definition, value)
  }
}
