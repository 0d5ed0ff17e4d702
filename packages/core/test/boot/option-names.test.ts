import { McpController, McpPrompt, McpResource, McpTool } from '@toolwright/core'
import { findMistakes } from './find-problems.js'

// The compiler finds these, and a runner that does not check types says nothing about them.

test('options of decorators that nobody reads are found, and what was meant is named', async () => {
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
    "bad-option: Tools: @McpController has no option 'prefx'. Did you mean prefix?",
    "bad-option: Tools.add: @McpTool has no option 'descripton'. Did you mean description?",
    "bad-option: Tools.add: @McpTool has no option 'inputs'. Did you mean input?",
    "bad-option: Tools.add: @McpTool has no option 'timeoutMS'. Did you mean timeoutMs?",
    'bad-schema: Tools.add: the output schema is 5. ' +
      'Give a TypeBox schema or a Model class, or plain JSON Schema as outputSchema.',
    "bad-option: Tools.greet: @McpPrompt has no option 'arguments'. " +
      'There are _meta, description, icons, input, name, title.',
    "bad-option: Tools.all: @McpResource has no option 'mimetype'. Did you mean mimeType?",
  ])
})
