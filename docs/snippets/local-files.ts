import { readFile } from 'node:fs/promises'
import { McpController, McpTool, type Static, Type } from 'toolwright'

const PathInput = Type.Object({ path: Type.String() })

@McpController({ transports: ['stdio', 'in-process'] })
export class FileTools {
  @McpTool({ description: 'Reads a file of this machine', input: PathInput })
  readFile({ path }: Static<typeof PathInput>): Promise<string> {
    return readFile(path, 'utf8')
  }

  @McpTool({
    description: 'Describes the tools',
    transports: ['stdio', 'http', 'websocket'],
  })
  describeTools(): string {
    return 'Over stdio, they read local files.'
  }
}
