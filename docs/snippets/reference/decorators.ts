import { Inject, McpContext, McpTool, Model, type Static, Type } from 'toolwright'

const BookInput = Type.Object({ isbn: Type.String() })
const Book = Type.Object({ title: Type.String(), year: Type.Integer() })

class FeatureRegistry {}
const shelfToken = 'Shelf'

// #region parameters
class ShelfTools {
  @McpTool({ input: BookInput })
  putBook(
    { isbn }: Static<typeof BookInput>,
    shelf: FeatureRegistry,
    @Inject(shelfToken) named: unknown,
    context: McpContext,
  ) {
    context.log.info({ isbn, shelf, named }, 'put')
  }
}
// #endregion

// #region model
class Loan extends Model(
  Type.Object({
    isbn: Type.String(),
    days: Type.Integer({ minimum: 1, maximum: 28 }),
  }),
) {
  get weeks(): number {
    return this.days / 7
  }
}

class LoanTools {
  @McpTool({ description: 'Lends a book' })
  lend(loan: Loan): string {
    return `${loan.isbn} for ${loan.weeks} weeks`
  }
}
// #endregion

// #region checked
class CheckedTools {
  // @ts-expect-error: the arguments have no `isbm`
  @McpTool({ input: BookInput, output: Book })
  first({ isbm }: { isbm: string }) {
    return { title: isbm, year: 2030 }
  }

  // @ts-expect-error: the result has no `year`
  @McpTool({ input: BookInput, output: Book })
  second({ isbn }: { isbn: string }) {
    return { title: isbn }
  }
}
// #endregion

export const controllers = [ShelfTools, LoanTools, CheckedTools]
