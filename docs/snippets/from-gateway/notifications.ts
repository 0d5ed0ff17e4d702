import { gateway } from '@toolwright/gateway'
// #region notifications
import type { FastifyInstance } from 'fastify'
import { createHost, McpTool, type Static, Type } from 'toolwright'

const EchoInput = Type.Object({ message: Type.String() })

export class ClockTools {
  @McpTool({ description: 'Answers a ping' })
  ping(): object {
    return { message: 'pong' }
  }

  @McpTool({ description: 'Returns the message', input: EchoInput })
  echo({ message }: Static<typeof EchoInput>): object {
    return { echo: message }
  }

  @McpTool({ description: 'Returns the time' })
  getTime(): object {
    return { time: new Date().toISOString(), timezone: 'UTC' }
  }
}

/** Routes that notify the clients. Changes of the catalog need no such call. */
async function notify(app: FastifyInstance): Promise<void> {
  const { changes } = app.mcp
  app.post('/api/notify/tools', () => {
    changes.toolsChanged()
    return { message: 'notifications/tools/list_changed is on its way' }
  })
  app.post('/api/notify/prompts', () => {
    changes.promptsChanged()
    return { message: 'notifications/prompts/list_changed is on its way' }
  })
  app.post<{ Querystring: { uri?: string } }>(
    '/api/notify/resources',
    ({ query: { uri } }) => {
      if (uri === undefined) changes.resourcesChanged()
      else changes.resourceUpdated(uri)
      return { message: 'notifications/resources/updated is on its way' }
    },
  )
}

export const createNotifications = async () =>
  createHost(await gateway({ controllers: [ClockTools], plugins: [notify] }))
// #endregion
