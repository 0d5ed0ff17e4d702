// Loaded before a sample: when the process ends, prints the resources that the closed server has left open.
import { stillOpen } from '../support/leftovers.mjs'

/** The deadline of the exit, and the handles of the process's own signals and pipes. */
const ofTheProgram = /^(PIPEWRAP|SIGNALWRAP) |at endProcess /

// The program exits as soon as its server is closed.
const exit = process.exit.bind(process)
process.exit = async (code) => {
  const left = (await stillOpen()).filter((stack) => !ofTheProgram.test(stack))
  console.log(`left: ${JSON.stringify(left)}`)
  exit(code)
}
