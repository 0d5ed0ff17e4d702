import { McpController, McpPrompt, McpResource, McpTool } from '@toolwright/core'
import { findMistakes } from './find-problems.js'

// The compiler finds these, and a runner that does not check types says nothing about them.

test('options of decorators that nobody reads are found, and the names that there are listed', async () => {
  const misspelt = { descripton: 'Adds', inputs: {}, timeoutMS: 5, title: 'Add', output: undefined } as object

  @McpController({ prefx: 'a_' } as object)
  class Tools {
    @McpTool({ ...misspelt, output: 5 } as object)
    add(): void {}

    @McpPrompt('greet', { arguments: [] } as object)
    greet(): string {
      return 'Hello'
    }

    @McpResource('notes://all', { mimetype: 'text/plain', ui: undefined } as object)
    all(): string {
      return ''
    }
  }

  expect(await findMistakes(Tools)).toEqual([
    "bad-option: Tools: @McpController has no option 'prefx'. There are prefix.",
    "bad-option: Tools.add: @McpTool has no option 'descripton', 'inputs', 'timeoutMS'. There are _meta, annotations, " +
      'description, icons, input, inputSchema, maxConcurrent, name, output, outputSchema, rateLimit, rawText, task, ' +
      'taskStart, timeoutMs, title, ui, untrusted.',
    'bad-schema: Tools.add: the output schema is 5. ' +
      'Give a TypeBox schema or a Model class, or plain JSON Schema as outputSchema.',
    "bad-option: Tools.greet: @McpPrompt has no option 'arguments'. " +
      'There are _meta, description, icons, input, name, title.',
    "bad-option: Tools.all: @McpResource has no option 'mimetype'. There are _meta, annotations, description, icons, " +
      'input, mimeType, name, size, title, ui.',
  ])
})
