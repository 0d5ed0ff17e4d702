// #region prompt
import {
  assistantMessage,
  type CompletionRequest,
  McpCompletion,
  McpPrompt,
  type PromptMessage,
  type Static,
  Type,
  userMessage,
} from 'toolwright'

const ReviewInput = Type.Object({
  language: Type.String({ description: 'Programming language' }),
  lines: Type.Optional(
    Type.Integer({ description: 'Maximum number of lines', default: 20 }),
  ),
})

export class ReviewPrompts {
  @McpPrompt({
    title: 'Review',
    description: 'Asks for a review',
    input: ReviewInput,
  })
  review({ language, lines }: Static<typeof ReviewInput>): string {
    return `Review this ${language} code in at most ${lines} lines.`
  }
}
// #endregion

export class MorePrompts {
  // #region messages
  @McpPrompt({ description: 'Begins an interview' })
  interview(): PromptMessage[] {
    return [
      userMessage('I would like to apply.'),
      assistantMessage('Gladly. What did you do last?'),
    ]
  }
  // #endregion

  // #region completion
  @McpCompletion({ prompt: 'review', argument: 'language' })
  completeLanguage({ value }: CompletionRequest): string[] {
    return ['Java', 'JavaScript', 'TypeScript'].filter((name) =>
      name.startsWith(value),
    )
  }
  // #endregion
}
