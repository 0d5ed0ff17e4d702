import {
  type CompletionRequest,
  embeddedResource,
  image,
  McpCompletion,
  McpPrompt,
  type PromptMessage,
  type Static,
  Type,
  userMessage,
} from 'toolwright'
import { png } from '../media.js'

const TwoArguments = Type.Object({
  arg1: Type.String({ description: 'The first argument' }),
  arg2: Type.String({ description: 'The second argument' }),
})
const ResourceArgument = Type.Object({
  resourceUri: Type.String({ description: 'The resource to embed' }),
})
const ItemArgument = Type.Object({
  item: Type.String({ description: 'One of many' }),
})

const words = ['test', 'testing', 'tested', 'sample', 'example']
const items = Array.from(
  { length: 150 },
  (_, index) => `item-${String(index + 1).padStart(3, '0')}`,
)

/**
 * Prompts with and without arguments, with every kind of message, and their
 * completions.
 */
export class TestPrompts {
  @McpPrompt('test_simple_prompt', {
    description: 'A prompt without arguments',
  })
  simple(): string {
    return 'This is a simple prompt for testing.'
  }

  @McpPrompt('test_prompt_with_arguments', {
    description: 'A prompt with two arguments',
    input: TwoArguments,
  })
  withArguments({ arg1, arg2 }: Static<typeof TwoArguments>): string {
    return `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`
  }

  @McpPrompt('test_prompt_with_embedded_resource', {
    description: 'A prompt with a resource in it',
    input: ResourceArgument,
  })
  withEmbeddedResource({
    resourceUri,
  }: Static<typeof ResourceArgument>): PromptMessage[] {
    const resource = {
      uri: resourceUri,
      mimeType: 'text/plain',
      text: 'Embedded resource content for testing.',
    }
    return [
      userMessage(embeddedResource(resource)),
      userMessage('Please process the embedded resource above.'),
    ]
  }

  @McpPrompt('test_prompt_with_image', {
    description: 'A prompt with a picture in it',
  })
  withImage(): PromptMessage[] {
    return [
      userMessage(image(png, 'image/png')),
      userMessage('Please analyze the image above.'),
    ]
  }

  @McpPrompt('test_many_completions', {
    description: 'A prompt with many values to choose from',
    input: ItemArgument,
  })
  manyCompletions({ item }: Static<typeof ItemArgument>): string {
    return `You chose ${item}.`
  }

  @McpCompletion({ prompt: 'test_prompt_with_arguments', argument: 'arg1' })
  completeWord({ value }: CompletionRequest): string[] {
    return words.filter((word) => word.startsWith(value))
  }

  @McpCompletion({ prompt: 'test_many_completions', argument: 'item' })
  completeItem({ value }: CompletionRequest): string[] {
    return items.filter((item) => item.startsWith(value))
  }
}
