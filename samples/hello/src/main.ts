import { McpTool, type Static, serve, Type } from 'toolwright'

const HelloInput = Type.Object({
  name: Type.String({ description: 'Name of the person' }),
})

class HelloTools {
  @McpTool({ description: 'Greets a person', input: HelloInput })
  sayHello({ name }: Static<typeof HelloInput>): string {
    return `Hello, ${name}!`
  }
}

await serve({ name: 'hello', version: '1.0.0', controllers: [HelloTools] })
