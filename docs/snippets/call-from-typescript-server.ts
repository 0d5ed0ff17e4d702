// #region till
import { McpController, McpTool } from 'toolwright'

@McpController({ prefix: 'till_' })
export class TillTools {
  @McpTool('open_drawer', { description: 'Opens the drawer of the till' })
  open(): string {
    return 'opened'
  }
}
// #endregion
