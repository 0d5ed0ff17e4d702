// #region constructor
import {
  container,
  Inject,
  injectable,
  Lifecycle,
  McpContext,
  McpTool,
  type Static,
  scoped,
  singleton,
  Type,
} from 'toolwright'

const NoteInput = Type.Object({ text: Type.String() })

@singleton()
export class Notebook {
  readonly notes: string[] = []
}

@injectable()
export class NoteTools {
  constructor(private readonly notebook: Notebook) {}

  @McpTool({ description: 'Writes a note', input: NoteInput })
  addNote({ text }: Static<typeof NoteInput>): string {
    const count = this.notebook.notes.push(text)
    return `Note ${count}`
  }
}
// #endregion

// #region parameter
export class Clock {
  today(): string {
    return '2030-01-31'
  }
}

export class DiaryTools {
  @McpTool({ description: 'Begins a page of the diary', input: NoteInput })
  beginPage(
    { text }: Static<typeof NoteInput>,
    clock: Clock,
    context: McpContext,
  ): string {
    context.log.info('a new page')
    return `${clock.today()}: ${text}`
  }

  @McpTool({ description: 'Returns the date' })
  tellDate(clock: Clock): string {
    return clock.today()
  }
}
// #endregion

// #region token
export interface Rates {
  rateOf(currency: string): number
}
export const ratesToken = Symbol('Rates')

container.register<Rates>(ratesToken, {
  useValue: { rateOf: (currency) => (currency === 'EUR' ? 1 : 1.25) },
})

export class PriceTools {
  @McpTool({
    description: 'Returns the value of one euro in a currency',
    input: Type.Object({ currency: Type.String() }),
  })
  convert(
    { currency }: { currency: string },
    @Inject(ratesToken) rates: Rates,
  ): string {
    return `1 EUR is ${rates.rateOf(currency)} ${currency}`
  }
}
// #endregion

// #region scoped
@scoped(Lifecycle.ContainerScoped)
export class Audit {
  readonly #lines: string[] = []

  constructor(private readonly context: McpContext) {}

  note(line: string): void {
    this.#lines.push(line)
  }

  dispose(): void {
    this.context.log.info({ lines: this.#lines }, 'audit')
  }
}

@injectable()
export class TransferTools {
  constructor(private readonly audit: Audit) {}

  @McpTool({
    description: 'Transfers an amount',
    input: Type.Object({ amount: Type.Number() }),
  })
  async transfer({ amount }: { amount: number }): Promise<string> {
    this.audit.note(`transfer of ${amount}`)
    return 'done'
  }
}
// #endregion

export function childContainer() {
  const tests = container.createChildContainer()
  tests.registerInstance(Notebook, new Notebook())

  const options = {
    name: 'notes',
    version: '1.0.0',
    controllers: [NoteTools],
    container: tests,
  }
  return options
}
