import { setTimeout as delay } from 'node:timers/promises'
import { McpContext, McpTool, type Static, Type } from 'toolwright'

const ResourceUpdate = Type.Object({
  uri: Type.String({ description: 'The resource that changed' }),
})

/** Notifications of a server. */
export class NotificationTools {
  @McpTool('test_tool_with_logging', {
    description: 'Sends three log messages while it runs',
  })
  async withLogging(context: McpContext): Promise<string> {
    for (const message of [
      'Tool execution started',
      'Tool processing data',
      'Tool execution completed',
    ]) {
      context.sendLogMessage('info', message)
      await delay(50)
    }
    return 'Sent three log messages.'
  }

  @McpTool('test_logging_tool', {
    description:
      'Writes to the log of the server, and to clients that requested debug messages',
  })
  logging(context: McpContext): string {
    context.log.info('test_logging_tool was called')
    context.sendLogMessage(
      'debug',
      'test_logging_tool was called',
      'everything',
    )
    return 'A log message was written.'
  }

  @McpTool('test_trigger_tool_change', {
    description: 'Notifies clients that the list of tools has changed',
  })
  toolChange(context: McpContext): string {
    context.changes.toolsChanged()
    return 'Sent a notification of changed tools.'
  }

  @McpTool('test_trigger_prompt_change', {
    description: 'Notifies clients that the list of prompts has changed',
  })
  promptChange(context: McpContext): string {
    context.changes.promptsChanged()
    return 'Sent a notification of changed prompts.'
  }

  @McpTool('test_trigger_resource_change', {
    description: 'Notifies clients that the list of resources has changed',
  })
  resourceChange(context: McpContext): string {
    context.changes.resourcesChanged()
    return 'Sent a notification of changed resources.'
  }

  @McpTool('test_trigger_resource_update', {
    description: 'Notifies subscribers that a resource has changed',
    input: ResourceUpdate,
  })
  resourceUpdate(
    { uri }: Static<typeof ResourceUpdate>,
    context: McpContext,
  ): string {
    context.changes.resourceUpdated(uri)
    return `Sent a notification of a change of ${uri}.`
  }
}
