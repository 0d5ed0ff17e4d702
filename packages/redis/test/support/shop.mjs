// Tools of a node that a test kills. `report` is called with each effect.
const sure = {
  key: 'sure',
  message: 'Pay?',
  schema: { type: 'object', required: ['ok'], properties: { ok: { type: 'boolean' } } },
}

/** @param isSlow Whether the step `charge` never ends. */
export function addShop(catalog, report, isSlow = true) {
  catalog.addTool({
    name: 'pay',
    handler: async (_args, context) => {
      await context.elicit(sure)
      await context.step('order', () => report('order'))
      await context.step('charge', async () => {
        report('charge')
        if (isSlow) await new Promise(() => undefined)
      })
      return 'paid'
    },
  })
  catalog.addTool({
    name: 'work',
    task: 'required',
    handler: async (_args, { signal }) => {
      report('works')
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      report('aborted')
      return 'done'
    },
  })
  catalog.addTool({
    name: 'ask',
    task: 'required',
    handler: async (_args, context) => {
      await context.elicit(sure)
      return 'done'
    },
  })
}
