import { createHost, McpTool } from 'toolwright'

export class LateTools {
  @McpTool({ description: 'Declared in a module that is still running' })
  tooLate(): string {
    return 'never served'
  }
}

// #region explain
const host = await createHost({
  name: 'desk',
  version: '1.0.0',
  scan: new URL('./', import.meta.url),
})
console.log(String(host.mcp.explain()))
// #endregion
