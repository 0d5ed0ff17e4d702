import {
  Authorize,
  type CompletionRequest,
  Inject,
  injectable,
  McpCompletion,
  McpPrompt,
  type Static,
  Type,
} from 'toolwright'
import { type Issues, issuesToken } from '../issues/issues.js'

const TriageInput = Type.Object({
  label: Type.String({ maxLength: 30, description: 'Label of the issues' }),
})

@injectable()
@Authorize({ roles: ['writer', 'admin'] })
export class TriagePrompts {
  constructor(@Inject(issuesToken) private readonly issues: Issues) {}

  @McpPrompt({
    title: 'Triage',
    description: 'Reviews the open issues with a label',
    input: TriageInput,
  })
  triage({ label }: Static<typeof TriageInput>): string {
    return (
      `Read the open issues with the label '${label}'. Name duplicates, issues that lack information, and the three that ` +
      'matter most. Suggest changes, but make none before I agree.'
    )
  }

  @McpCompletion({ prompt: 'triage', argument: 'label' })
  async completeLabel({ value }: CompletionRequest): Promise<string[]> {
    return (await this.issues.labels()).filter((label) =>
      label.startsWith(value),
    )
  }
}
