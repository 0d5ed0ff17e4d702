import {
  AllowAnonymous,
  Authorize,
  injectable,
  McpContext,
  McpTool,
  type Static,
  ToolError,
  Type,
} from 'toolwright'
import { ExpenseFile } from '../expenses/expense-file.js'

const Category = Type.String({
  pattern: '^[a-z]{1,20}$',
  description: 'Such as travel or food',
})
const Expense = Type.Object({
  id: Type.Integer(),
  date: Type.String({ format: 'date' }),
  category: Type.String(),
  euros: Type.Number(),
})

const NewExpense = Type.Object({
  date: Type.String({ format: 'date', description: 'Day of the payment' }),
  category: Category,
  euros: Type.Number({
    exclusiveMinimum: 0,
    maximum: 1_000_000,
    description: 'Amount',
  }),
})
const Query = Type.Object({ category: Type.Optional(Category) })
const Expenses = Type.Object({
  expenses: Type.Array(Expense),
  euros: Type.Number({ description: 'The sum' }),
})
const Reference = Type.Object({
  id: Type.Integer({ minimum: 1, description: 'Id of the expense' }),
})
const Count = Type.Object({ count: Type.Integer() })

/**
 * Every role may read. Methods that change expenses also require the role of
 * writers.
 */
@injectable()
@Authorize({ roles: ['reader', 'writer'] })
export class ExpenseTools {
  constructor(private readonly file: ExpenseFile) {}

  @McpTool({
    description: 'Counts the expenses',
    output: Count,
    annotations: { readOnlyHint: true },
  })
  @AllowAnonymous()
  countExpenses(): Static<typeof Count> {
    return { count: this.file.list().length }
  }

  @McpTool({
    description: 'Lists expenses, and returns their sum',
    input: Query,
    output: Expenses,
    annotations: { readOnlyHint: true },
  })
  listExpenses({ category }: Static<typeof Query>): Static<typeof Expenses> {
    const expenses = this.file.list(category)
    // Cents are whole numbers, which can be added without rounding errors.
    const cents = expenses.reduce(
      (sum, { euros }) => sum + Math.round(euros * 100),
      0,
    )
    return { expenses: [...expenses], euros: cents / 100 }
  }

  @McpTool({
    description: 'Records an expense',
    input: NewExpense,
    output: Expense,
  })
  @Authorize({ roles: ['writer'] })
  async addExpense(
    expense: Static<typeof NewExpense>,
    context: McpContext,
  ): Promise<Static<typeof Expense>> {
    const added = await this.file.add(expense)
    context.log.info({ id: added.id }, 'an expense was added')
    return added
  }

  @McpTool({
    description: 'Removes an expense',
    input: Reference,
    annotations: { destructiveHint: true, idempotentHint: true },
  })
  @Authorize({ roles: ['writer'] })
  async removeExpense({ id }: Static<typeof Reference>): Promise<string> {
    if (await this.file.remove(id)) return `Removed expense ${id}`
    throw new ToolError(
      `There is no expense ${id}. list_expenses lists the ids.`,
    )
  }
}
