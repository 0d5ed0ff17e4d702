import { gateway } from '@toolwright/gateway'
// #region prompts
import {
  assistantMessage,
  createHost,
  McpPrompt,
  McpTool,
  type PromptResult,
  type Static,
  Type,
  userMessage,
} from 'toolwright'

const behavior = Type.Enum(['Good', 'Naughty'], {
  title: 'Behavior',
  description: 'How the child behaved',
})
const ReportInput = Type.Object({
  name: Type.String({ description: 'The child' }),
  behavior,
})
const LetterInput = Type.Object({
  ...ReportInput.properties,
  santaEmailAddress: Type.Optional(Type.String()),
})

export class SantaPrompts {
  @McpPrompt({
    description: 'Reports a child to Santa Claus',
    input: ReportInput,
  })
  santaReportPrompt({
    name,
    behavior: behaved,
  }: Static<typeof ReportInput>): PromptResult {
    return {
      description: 'A report about a child',
      messages: [
        assistantMessage('I write the letters to Santa Claus.'),
        userMessage(
          `Send a letter to Santa Claus and tell him that ${name} has behaved ${behaved}.`,
        ),
      ],
    }
  }

  @McpTool({ description: 'Sends a letter to Santa Claus', input: LetterInput })
  letterToSanta(_letter: Static<typeof LetterInput>): object {
    return { sent: true }
  }
}
// #endregion

export const createPrompts = async () =>
  createHost(await gateway({ controllers: [SantaPrompts] }))
