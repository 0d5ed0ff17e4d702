import { McpTool, serve } from 'toolwright'

export class LateTools {
  @McpTool({ description: 'Declared in a module that is still running' })
  tooLate(): string {
    return 'never served'
  }
}

await serve({
  name: 'desk',
  version: '1.0.0',
  scan: new URL('./', import.meta.url),
})
