import { McpTool, type Static, Type } from 'toolwright'

const Change = Type.Object({
  kind: Type.Enum(['added', 'fixed', 'removed']),
  text: Type.String(),
  /** Whether users have to change something. */
  breaking: Type.Boolean(),
})

const Changes = Type.Object({
  lastVersion: Type.String(),
  changes: Type.Array(Change),
})

export class ChangeTools {
  @McpTool({
    description:
      'Lists the changes since the last release. Use the skill release-notes to describe them',
    annotations: { readOnlyHint: true },
    output: Changes,
  })
  listChanges(): Static<typeof Changes> {
    return {
      lastVersion: '2.3.1',
      changes: [
        {
          kind: 'added',
          text: 'Reports can be exported as CSV.',
          breaking: false,
        },
        {
          kind: 'fixed',
          text: 'Dates before 1970 are shown.',
          breaking: false,
        },
        {
          kind: 'removed',
          text: 'The option --legacy-report is gone: use --report.',
          breaking: true,
        },
      ],
    }
  }
}
