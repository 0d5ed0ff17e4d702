import { McpTool, type Static, Type } from 'toolwright'

const CountInput = Type.Object({
  text: Type.String({ description: 'The text to count' }),
})
const CountOutput = Type.Object({
  words: Type.Integer(),
  characters: Type.Integer(),
})

export class WordTools {
  @McpTool({
    description: 'Counts the words and characters of a text',
    input: CountInput,
    output: CountOutput,
  })
  countWords({ text }: Static<typeof CountInput>): Static<typeof CountOutput> {
    return {
      words: text.split(/\s+/).filter(Boolean).length,
      characters: text.length,
    }
  }
}
