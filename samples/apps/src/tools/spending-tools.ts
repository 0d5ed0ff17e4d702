import {
  canShowApps,
  injectable,
  McpContext,
  McpTool,
  result,
  type Static,
  ToolError,
  Type,
  text,
} from 'toolwright'
import { type Entry, HouseholdBook } from '../household-book.js'

const MonthInput = Type.Object({
  month: Type.String({
    pattern: String.raw`^\d{4}-\d{2}$`,
    description: 'Month, such as 2031-04',
  }),
})

const Spending = Type.Object({
  month: Type.String(),
  total: Type.Number({ description: 'Euros' }),
  entries: Type.Array(
    Type.Object({ category: Type.String(), euros: Type.Number() }),
  ),
  months: Type.Array(Type.String(), { description: 'All available months' }),
})

const page = 'ui://spending/chart'

@injectable()
export class SpendingTools {
  constructor(private readonly book: HouseholdBook) {}

  @McpTool('show_spending', {
    description: 'Shows what was spent in a month, by category',
    annotations: { readOnlyHint: true },
    input: MonthInput,
    output: Spending,
    ui: { resourceUri: page },
  })
  show({ month }: Static<typeof MonthInput>, context: McpContext) {
    const spending = this.#spendingOf(month)
    // The model reads only the text. If the user sees a chart, the model needs
    // the sum, but not every number.
    const words = canShowApps(context)
      ? `${sum(spending)} The user sees a chart of it.`
      : describe(spending)
    return result({ content: [text(words)], structuredContent: spending })
  }

  @McpTool('turn_page', {
    description: 'Returns the spending of another month, for the chart',
    annotations: { readOnlyHint: true },
    input: MonthInput,
    output: Spending,
    ui: { resourceUri: page, visibility: ['app'] },
  })
  turn({ month }: Static<typeof MonthInput>): Static<typeof Spending> {
    return this.#spendingOf(month)
  }

  #spendingOf(month: string): Static<typeof Spending> {
    const { months } = this.book
    const entries = this.book.entriesOf(month)
    if (entries === undefined)
      throw new ToolError(
        `There are no entries for ${month}. Available months: ${months.join(', ')}.`,
      )
    return {
      month,
      total: totalOf(entries),
      entries: [...entries],
      months: [...months],
    }
  }
}

function totalOf(entries: readonly Entry[]): number {
  return entries.reduce((total, { euros }) => total + euros, 0)
}

function sum({ month, total }: Static<typeof Spending>): string {
  return `${total} euros were spent in ${month}.`
}

function describe(spending: Static<typeof Spending>): string {
  const lines = spending.entries.map(
    ({ category, euros }) => `${category}: ${euros} euros`,
  )
  return [sum(spending), ...lines].join('\n')
}
