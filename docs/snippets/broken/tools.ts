import { McpTool, Type } from 'toolwright'

interface Clock {
  now(): number
}

class Archive {
  constructor(readonly shelf: FeatureRegistry) {}
}
class FeatureRegistry {}

export class NoteTools {
  @McpTool('write note')
  write(): void {}

  @McpTool({ input: Type.Object({ at: Type.Optional(Type.Undefined()) }) })
  tellTime(_arguments: object, _clock: Clock): void {}

  @McpTool('find')
  findNote(): void {}
}

export class ArchiveTools {
  @McpTool()
  find(_archive: Archive): void {}
}
