import {
  audio,
  type ContentBlock,
  embeddedResource,
  image,
  McpContext,
  McpTool,
  resourceLink,
  type Static,
  ToolError,
  Type,
  text,
} from 'toolwright'
import { png, wav } from '../media.js'

const mebibyte = 1024 * 1024

// Above the default limit of a server, so that the limit can be tested.
const LargeText = Type.Object({
  bytes: Type.Integer({ minimum: 0, maximum: 16 * mebibyte }),
})

/** Every kind of content of a result. */
export class ContentTools {
  @McpTool('test_simple_text', { description: 'Returns a line of text' })
  simpleText(): string {
    return 'This is a simple text response for testing.'
  }

  @McpTool('test_image_content', { description: 'Returns a picture' })
  imageContent(): ContentBlock {
    return image(png, 'image/png')
  }

  @McpTool('test_audio_content', { description: 'Returns a sound' })
  audioContent(): ContentBlock {
    return audio(wav, 'audio/wav')
  }

  @McpTool('test_embedded_resource', {
    description: 'Returns a resource as part of the result',
  })
  embeddedResource(): ContentBlock {
    return embeddedResource({
      uri: 'test://embedded-resource',
      mimeType: 'text/plain',
      text: 'This is an embedded resource content.',
    })
  }

  @McpTool('test_resource_link', {
    description: 'Returns a link to a resource',
  })
  link(): ContentBlock {
    return resourceLink('test://static-text', 'static-text', {
      title: 'Static text',
      description: 'A resource that is linked to, not embedded',
      mimeType: 'text/plain',
    })
  }

  @McpTool('test_multiple_content_types', {
    description: 'Returns a text, a picture and a resource',
  })
  multipleContentTypes(): readonly ContentBlock[] {
    return [
      text('Multiple content types test:'),
      image(png, 'image/png'),
      embeddedResource({
        uri: 'test://mixed-content-resource',
        mimeType: 'application/json',
        text: JSON.stringify({ test: 'data', value: 123 }),
      }),
    ]
  }

  @McpTool('test_error_handling', { description: 'Always fails' })
  errorHandling(): never {
    throw new ToolError('This tool intentionally returns an error for testing')
  }

  @McpTool('test_large_text', {
    description: 'Returns the requested number of letters',
    input: LargeText,
  })
  largeText({ bytes }: Static<typeof LargeText>, context: McpContext): string {
    context.progress(0, bytes)
    return 'x'.repeat(bytes)
  }
}
