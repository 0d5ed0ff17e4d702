import { type TestTool } from '../../../../test/support/client/index.js'
import { createGate } from '../../../../test/support/gate.js'

/**
 * The tool `wait`: its calls report progress before and after they wait for `release`, and do not end when cancelled.
 */
export function createWaitingTool() {
  const gate = createGate()
  const seen = { started: 0, aborted: 0 }
  const tool: TestTool = {
    name: 'wait',
    handler: async (_args, context) => {
      seen.started++
      context.signal.addEventListener('abort', () => seen.aborted++)
      context.progress(1)
      await gate.opened
      context.progress(2)
      return context.signal.aborted ? 'aborted' : 'done'
    },
  }
  return { tool, seen, release: gate.open }
}
