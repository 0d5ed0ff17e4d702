import { StreamTool, ToolStream } from '@toolwright/streams'
import { McpController, McpTool, type Static, Type } from 'toolwright'
import { Archive, type StoredFile } from '../archive.js'

const Name = Type.String({
  pattern: '^[\\w-][\\w.-]{0,99}$',
  description: 'Name of the file, without folders',
})
const Upload = Type.Object({
  name: Name,
  sha256: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'Expected checksum',
    }),
  ),
})
const Download = Type.Object({ name: Name })
const Stored = Type.Object({
  name: Type.String(),
  bytes: Type.Integer(),
  sha256: Type.String(),
})

@McpController()
export class FileTools {
  constructor(private readonly archive: Archive) {}

  // #region upload
  @StreamTool({
    description: 'Stores a file, and returns its checksum',
    input: Upload,
    output: Stored,
  })
  uploadFile(
    { name, sha256 }: Static<typeof Upload>,
    stream: ToolStream,
  ): Promise<StoredFile> {
    return this.archive.store(name, stream.readable, sha256)
  }
  // #endregion

  // #region download
  @StreamTool({
    description: 'Sends a stored file',
    input: Download,
    output: Stored,
  })
  async downloadFile(
    { name }: Static<typeof Download>,
    stream: ToolStream,
  ): Promise<StoredFile> {
    const { file, content } = await this.archive.read(name)
    stream.describe({
      name,
      mime: 'application/octet-stream',
      totalSize: file.bytes,
    })
    await content.pipeTo(stream.writable, { signal: stream.signal })
    return file
  }
  // #endregion

  @McpTool({
    description: 'Lists the stored files',
    annotations: { readOnlyHint: true },
  })
  listFiles(): readonly StoredFile[] {
    return this.archive.files
  }
}
