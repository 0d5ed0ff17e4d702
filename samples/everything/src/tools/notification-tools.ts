import { setTimeout as delay } from 'node:timers/promises'
import { McpContext, McpTool, type Static, Type } from 'toolwright'

const ResourceUpdate = Type.Object({ uri: Type.String({ description: 'The resource that changed' }) })

/** What a server tells its clients besides answers. */
export class NotificationTools {
  @McpTool('test_tool_with_logging', { description: 'Sends three log messages while it runs' })
  async withLogging(context: McpContext): Promise<string> {
    for (const message of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      context.sendLogMessage('info', message)
      await delay(50)
    }
    return 'Sent three log messages.'
  }

  @McpTool('test_logging_tool', {
    description: 'Writes to the log of the server, and to the client that asked for debug messages',
  })
  logging(context: McpContext): string {
    context.log.info('test_logging_tool was called')
    context.sendLogMessage('debug', 'test_logging_tool was called', 'everything')
    return 'A log message was written.'
  }

  @McpTool('test_trigger_tool_change', { description: 'Tells that the list of tools changed' })
  toolChange(context: McpContext): string {
    context.changes.toolsChanged()
    return 'Told of a change of tools.'
  }

  @McpTool('test_trigger_prompt_change', { description: 'Tells that the list of prompts changed' })
  promptChange(context: McpContext): string {
    context.changes.promptsChanged()
    return 'Told of a change of prompts.'
  }

  @McpTool('test_trigger_resource_change', { description: 'Tells that the list of resources changed' })
  resourceChange(context: McpContext): string {
    context.changes.resourcesChanged()
    return 'Told of a change of resources.'
  }

  @McpTool('test_trigger_resource_update', { description: 'Tells that a resource changed', input: ResourceUpdate })
  resourceUpdate({ uri }: Static<typeof ResourceUpdate>, context: McpContext): string {
    context.changes.resourceUpdated(uri)
    return `Told of a change of ${uri}.`
  }
}
