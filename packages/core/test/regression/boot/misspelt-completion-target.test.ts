import { McpCompletion, McpController, McpPrompt, McpResource, Type } from '@toolwright/core'
import { findMistakes } from '../../boot/find-problems.js'

const Input = Type.Object({ firstName: Type.String() })

@McpController({ prefix: 'shop_' })
class ProtocolDependencies {
  @McpPrompt({ input: Input })
  greetNewCustomer({ firstName }: { firstName: string }): string {
    return firstName
  }

  @McpResource('orders://{orderId}')
  order({ orderId }: { orderId: string }): string {
    return orderId
  }
}

/** The boot problem of a completion with this target. */
async function diagnosticOf(target: Parameters<typeof McpCompletion>[0]): Promise<readonly string[]> {
  class Completions {
    @McpCompletion(target)
    complete(): string[] {
      return []
    }
  }
  return findMistakes(ProtocolDependencies, Completions)
}

describe('a completion whose target is misspelt', () => {
  test.each([
    [
      'the method of the prompt',
      { prompt: 'greetNewCustomer', argument: 'firstName' },
      "prompt 'greetNewCustomer', which is not served. Did you mean 'shop_greet_new_customer'?",
    ],
    [
      'the method with its prefix',
      { prompt: 'shopGreetNewCustomer', argument: 'firstName' },
      "prompt 'shopGreetNewCustomer', which is not served. Did you mean 'shop_greet_new_customer'?",
    ],
    [
      'an argument in other case',
      { prompt: 'shop_greet_new_customer', argument: 'first_name' },
      "'first_name', but prompt 'shop_greet_new_customer' has only firstName. Did you mean 'firstName'?",
    ],
    [
      'another template',
      { resource: 'order://{orderId}', argument: 'orderId' },
      "resource template 'order://{orderId}', which is not served. Did you mean 'orders://{orderId}'?",
    ],
    [
      'a variable',
      { resource: 'orders://{orderId}', argument: 'orderID_' },
      "'orderID_', but resource template 'orders://{orderId}' has only orderId. Did you mean 'orderId'?",
    ],
    [
      'an unrelated name',
      { prompt: 'weather', argument: 'city' },
      "prompt 'weather', which is not served. Correct the name.",
    ],
  ] as const)('is reported with the nearest target instead of %s', async (_what, target, message) => {
    expect(await diagnosticOf(target)).toEqual([
      `unknown-completion-target: Completions.complete: it completes ${message}`,
    ])
  })
})
