import { McpTool } from '@toolwright/core'

// As a compiler calls it that has "experimentalDecorators" off.
type StandardDecorator = (method: () => void, context: { readonly kind: 'method'; readonly name: string }) => void
const decorate = McpTool() as unknown as StandardDecorator
decorate(() => undefined, { kind: 'method', name: 'add' })
