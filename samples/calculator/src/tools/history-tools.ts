import { McpTool, type Static, Type } from 'toolwright'
import { glyphIcons } from '../icons.js'
import { Ledger } from '../ledger.js'

const History = Type.Object({
  entries: Type.Array(
    Type.Object({
      at: Type.String({ format: 'date-time' }),
      calculation: Type.String(),
      result: Type.Number(),
    }),
    { description: 'Oldest first' },
  ),
})

export class HistoryTools {
  /** A tool without arguments: all its parameters are injected. */
  @McpTool({
    title: 'Calculation History',
    description: 'Lists the latest calculations of all clients of this server',
    icons: glyphIcons('☰'),
    annotations: { readOnlyHint: true, openWorldHint: false },
    output: History,
  })
  calculationHistory(ledger: Ledger): Static<typeof History> {
    return { entries: [...ledger.entries] }
  }
}
