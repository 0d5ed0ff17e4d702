'use strict'

const { TestEnvironment } = require('jest-environment-node')
const { Judge } = require('./judge.cjs')
const { officialSchema } = require('./official-schema.cjs')

/** Node, with a shared judge of frames: its schemas are compiled once, instead of in each test file. */
module.exports = class FrameEnvironment extends TestEnvironment {
  async setup() {
    await super.setup()
    this.global.frames = new Judge()
    this.global.officialFaults = (version, definition, value) => officialSchema(version).errorsOf(definition, value)
  }
}
