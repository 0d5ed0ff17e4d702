import { McpTool } from '@toolwright/core'

// Called as compiled by a compiler without "experimentalDecorators".
type StandardDecorator = (method: () => void, context: { readonly kind: 'method'; readonly name: string }) => void
const decorate = McpTool() as unknown as StandardDecorator
decorate(() => undefined, { kind: 'method', name: 'add' })
