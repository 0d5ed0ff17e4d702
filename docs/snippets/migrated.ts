import {
  McpPrompt,
  McpResource,
  McpTool,
  type Static,
  serve,
  ToolError,
  Type,
} from 'toolwright'

const ConvertInput = Type.Object({
  metres: Type.Number({ description: 'Length in metres' }),
})
const ConvertOutput = Type.Object({ feet: Type.Number() })
const ExplainInput = Type.Object({ unit: Type.String() })

class UnitTools {
  @McpTool({
    description: 'Converts a length to feet',
    input: ConvertInput,
    output: ConvertOutput,
  })
  convertLength({
    metres,
  }: Static<typeof ConvertInput>): Static<typeof ConvertOutput> {
    if (metres < 0) throw new ToolError('A length is not negative.')
    return { feet: metres / 0.3048 }
  }

  @McpResource('units://list', { mimeType: 'text/plain' })
  units(): string {
    return 'metre, foot'
  }

  @McpPrompt({ description: 'Explains a unit', input: ExplainInput })
  explainUnit({ unit }: Static<typeof ExplainInput>): string {
    return `Explain the unit ${unit}.`
  }
}

await serve({ name: 'units', version: '1.0.0', controllers: [UnitTools] })
