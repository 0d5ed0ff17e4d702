// Inherits a constructor whose parameters all have @Inject.
import { container, createServer, Inject, McpTool } from '@toolwright/core'

class Clock {
  now(): number {
    return 7
  }
}

abstract class Base {
  constructor(
    @Inject('url') readonly url: string,
    @Inject(Clock) readonly clock: Clock,
  ) {}
}

class Between extends Base {}

class Service extends Between {}

class Tools extends Between {
  @McpTool({ description: 'Read' })
  read(@Inject(Service) service: Service): string {
    return [this.url, this.clock.now(), service.url, service.clock.now()].join(' ')
  }
}

container.register('url', { useValue: 'here' }).registerSingleton(Service)
const server = await createServer({ name: 'inherited', version: '1.0.0', controllers: [Tools] })
const { content } = await server.callTool('read', {})
process.stdout.write(`${content.map((block) => ('text' in block ? block.text : '')).join('')}\n`)
