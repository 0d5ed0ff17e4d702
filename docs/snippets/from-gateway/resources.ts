import { hostname } from 'node:os'
import { gateway } from '@toolwright/gateway'
// #region resources
import { createHost, McpResource } from 'toolwright'

const json = { mimeType: 'application/json' }

export class LogResources {
  @McpResource('file://logs/app.log', {
    title: 'Application log',
    description: 'The last lines',
    mimeType: 'text/plain',
  })
  applicationLogs(): string {
    return `[${new Date().toISOString()}] INFO: started\n[${new Date().toISOString()}] INFO: ready`
  }

  @McpResource('file://config/settings.json', {
    description: 'The settings of the application',
    ...json,
  })
  settings(): object {
    return { environment: 'Development', features: { resources: true } }
  }
}

export class SystemResources {
  @McpResource('system://status', {
    description: 'Uptime and memory of the server',
    icons: [
      {
        src: 'https://example.com/light.png',
        mimeType: 'image/png',
        sizes: ['16x16', '32x32'],
        theme: 'light',
      },
      {
        src: 'https://example.com/dark.png',
        mimeType: 'image/png',
        theme: 'dark',
      },
    ],
    ...json,
  })
  systemStatus(): object {
    const { heapUsed } = process.memoryUsage()
    return {
      uptime: process.uptime(),
      memoryUsed: heapUsed,
      timestamp: new Date().toISOString(),
    }
  }

  @McpResource('system://environment', {
    description: 'The runtime of the server',
    ...json,
  })
  environment(): object {
    return {
      node: process.version,
      platform: process.platform,
      machine: hostname(),
    }
  }
}

export class DataResources {
  @McpResource('db://users/example', { description: 'A user', ...json })
  exampleUser(): object {
    return { id: 'example', name: 'Ada Example', email: 'ada@example.com' }
  }

  @McpResource('db://stats/summary', { description: 'Totals', ...json })
  summary(): object {
    return { totalUsers: 1234, activeUsers: 567 }
  }
}
// #endregion

export const createResources = async () =>
  createHost(
    await gateway({
      controllers: [LogResources, SystemResources, DataResources],
    }),
  )
