import { McpResource } from 'toolwright'
import { png } from '../media.js'

/** Text, bytes and a resource template. */
export class TestResources {
  @McpResource('test://static-text', {
    description: 'A text that never changes',
    mimeType: 'text/plain',
  })
  staticText(): string {
    return 'This is the content of the static text resource.'
  }

  @McpResource('test://static-binary', {
    description: 'A picture of one pixel',
    mimeType: 'image/png',
  })
  staticBinary(): Uint8Array {
    return Buffer.from(png, 'base64')
  }

  @McpResource('test://watched-resource', {
    description: 'A text to subscribe to',
    mimeType: 'text/plain',
  })
  watched(): string {
    return 'Watch this resource: test_trigger_resource_update notifies its subscribers of a change.'
  }

  @McpResource('test://template/{id}/data', {
    description: 'Data for any id',
    mimeType: 'application/json',
  })
  data({ id }: { id: string }): object {
    return { id, templateTest: true, data: `Data for ID: ${id}` }
  }
}
