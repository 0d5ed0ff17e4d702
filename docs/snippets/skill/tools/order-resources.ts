import {
  type CompletionRequest,
  injectable,
  McpCompletion,
  McpPrompt,
  McpResource,
  type Static,
  Type,
} from 'toolwright'
import { type Order, Orders } from '../orders.js'

const ComplaintInput = Type.Object({
  id: Type.String({ description: 'Number of the order' }),
})

@injectable()
export class OrderResources {
  constructor(private readonly orders: Orders) {}

  @McpResource('orders://{id}', {
    title: 'An order',
    mimeType: 'application/json',
  })
  order({ id }: { id: string }): Order | undefined {
    return this.orders.find(id)
  }

  @McpPrompt({
    title: 'Answer a complaint',
    description: 'Drafts an answer to a complaint',
    input: ComplaintInput,
  })
  answerComplaint({ id }: Static<typeof ComplaintInput>): string {
    return `Read the order ${id}, and draft a friendly answer to its customer.`
  }

  @McpCompletion({ prompt: 'answer_complaint', argument: 'id' })
  completeId({ value }: CompletionRequest): string[] {
    return ['A-1'].filter((id) => id.startsWith(value))
  }
}
