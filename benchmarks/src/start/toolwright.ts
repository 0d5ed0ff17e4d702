import './report-usage.js'
import { McpTool, type Static, serve, Type } from 'toolwright'

const HelloInput = Type.Object({ name: Type.String({ description: 'Who to greet' }) })

class HelloTools {
  @McpTool({ description: 'Greets somebody', input: HelloInput })
  sayHello({ name }: Static<typeof HelloInput>): string {
    return `Hello, ${name}!`
  }
}

await serve({ name: 'hello', version: '1.0.0', controllers: [HelloTools] })
