import { Authorize, McpContext, McpTool, type Static, Type } from 'toolwright'

const SignInput = Type.Object({
  text: Type.String({ description: 'What to write', maxLength: 200 }),
})

const entries: string[] = []

export class GuestBookTools {
  @McpTool({ description: 'Reads the guest book' })
  @Authorize({ scopes: ['book:read'] })
  read(): string {
    return entries.join('\n') || 'The book is empty.'
  }

  @McpTool({ description: 'Writes into the guest book', input: SignInput })
  @Authorize({ scopes: ['book:write'] })
  sign({ text }: Static<typeof SignInput>, context: McpContext): string {
    const { name, login } = context.principal?.claims ?? {}
    entries.push(`${String(name ?? login)}: ${text}`)
    return 'Thank you!'
  }
}
