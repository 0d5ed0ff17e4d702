import { McpTool, Type } from 'toolwright'

const BookInput = Type.Object({ isbn: Type.String() })
const Book = Type.Object({ title: Type.String(), year: Type.Integer() })

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

export const controllers = [CheckedTools]
