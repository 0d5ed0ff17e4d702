// Compiled with the other tests and never run: code that the compiler accepts, and code that it rejects.
import {
  type AddedTool,
  type CallResult,
  type Infer,
  Inject,
  type McpContext,
  McpPrompt,
  McpTool,
  Model,
  type ProgressUpdate,
  result,
  type Static,
  Type,
  text,
} from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { expectSame } from './expect-type.js'

class Clock {
  now = 0
}

const SumInput = Type.Object({ a: Type.Number(), b: Type.Optional(Type.Number()) })
const SumOutput = Type.Object({ sum: Type.Number(), note: Type.Optional(Type.String()) })
type SumInputValue = Static<typeof SumInput>
type SumOutputValue = Static<typeof SumOutput>

class SumModel extends Model(SumInput) {}
class TotalModel extends Model(SumOutput) {}

class Point extends Model(Type.Object({ x: Type.Number(), y: Type.Number() })) {
  length(): number {
    return Math.hypot(this.x, this.y)
  }
}

/** Types inferred from a schema and a model. */
expectSame<SumInputValue, { a: number; b?: number }>()
expectSame<Infer<typeof SumInput>, SumInputValue>()
expectSame<Infer<typeof SumModel>, SumInputValue>()
expectSame<Infer<undefined>, never>()

/** The forms of the decorator. */
export class Forms {
  @McpTool()
  none(): void {}

  @McpTool('name')
  named(): string {
    return ''
  }

  @McpTool('name', { title: 'Title', input: SumInput, output: SumOutput })
  namedWithOptions({ a }: SumInputValue): SumOutputValue {
    return { sum: a }
  }

  @McpTool({ name: 'name', description: 'What it does', annotations: { readOnlyHint: true }, timeoutMs: 5 })
  options(): string {
    return ''
  }

  @McpTool({ inputSchema: { type: 'object' }, outputSchema: { type: 'object' } })
  raw(args: { anything: string }): object {
    return args
  }

  // @ts-expect-error -- a duplicate name
  @McpTool('name', { name: 'another' })
  twice(): void {}

  // @ts-expect-error -- an unknown option
  @McpTool({ tittle: 'Title' })
  unknown(): void {}

  // @ts-expect-error -- a hint is a boolean
  @McpTool({ annotations: { readOnlyHint: 'yes' } })
  hint(): void {}
}

/** One signature each: with overloads, editors do not complete the members of incomplete options. */
expectSame<Parameters<typeof McpTool>['length'], 0 | 1 | 2>()
expectSame<Parameters<typeof McpPrompt>['length'], 0 | 1 | 2>()

/** A wrong schema causes a single compiler error. */
export class Rejected {
  @McpTool({
    // @ts-expect-error -- arguments are an object
    input: Type.String(),
  })
  echo(said: string): string {
    return said
  }

  @McpPrompt({
    // @ts-expect-error -- a plain object instead of a schema or a model
    input: { type: 'object' },
  })
  plain(args: { name: string }): string {
    return args.name
  }
}

/** Arguments. */
export class Arguments {
  @McpTool({ input: SumInput })
  exact(args: SumInputValue): number {
    return args.a
  }

  @McpTool({ input: SumInput })
  fewer({ a }: { a: number }): number {
    return a
  }

  @McpTool({ input: SumInput })
  ignored(): number {
    return 0
  }

  @McpTool({ input: SumModel })
  model(args: SumModel): number {
    return args.a
  }

  @McpTool({ input: SumModel })
  modelAsData(args: SumInputValue): number {
    return args.a
  }

  @McpTool()
  modelByType(args: SumModel): number {
    return args.a
  }

  @McpTool({ input: Point })
  modelWithMethods(point: Point): number {
    return point.length()
  }

  // @ts-expect-error -- `a` is a number
  @McpTool({ input: SumInput })
  wrongType({ a }: { a: string }): string {
    return a
  }

  // @ts-expect-error -- `c` is not in the schema
  @McpTool({ input: SumInput })
  oneMore({ a, c }: { a: number; c: number }): number {
    return a + c
  }

  // @ts-expect-error -- `b` may be missing
  @McpTool({ input: SumInput })
  optionalAsRequired({ a, b }: { a: number; b: number }): number {
    return a + b
  }

  // @ts-expect-error -- arguments are an object
  @McpTool({ input: SumInput })
  positional(a: number, b: number): number {
    return a + b
  }

  // @ts-expect-error -- `a` is a number in the model
  @McpTool({ input: SumModel })
  wrongModel({ a }: { a: string }): string {
    return a
  }

  // @ts-expect-error -- another model
  @McpTool('name', { input: SumModel })
  otherModel(point: Point): number {
    return point.x
  }

  // @ts-expect-error -- plain data has no methods
  @McpTool({ input: Type.Object({ x: Type.Number(), y: Type.Number() }) })
  methodsOfData(point: Point): number {
    return point.length()
  }
}

/** Results. */
export class Results {
  @McpTool({ output: SumOutput })
  exact(): SumOutputValue {
    return { sum: 1 }
  }

  @McpTool({ output: SumOutput })
  inferred() {
    return { sum: 1 }
  }

  @McpTool({ output: SumOutput })
  async promise(): Promise<SumOutputValue> {
    return { sum: 1, note: 'one' }
  }

  @McpTool({ output: SumOutput })
  async *generator(): AsyncGenerator<ProgressUpdate, SumOutputValue> {
    yield { progress: 1 }
    return { sum: 1 }
  }

  @McpTool({ output: SumOutput })
  byHand(): CallResult {
    return result({ content: [text('one')], structuredContent: { sum: 1 } })
  }

  @McpTool({ output: SumOutput })
  async byHandOrNot(): Promise<SumOutputValue | CallResult> {
    return result({ structuredContent: { sum: 1 } })
  }

  @McpTool({ output: TotalModel })
  modelFromLiteral(): TotalModel {
    return { sum: 1 }
  }

  @McpTool()
  modelByType(): TotalModel {
    return { sum: 1 }
  }

  @McpTool({ output: Type.Array(Type.Object({ x: Type.Number() })) })
  array(): { x: number }[] {
    return [new Point({ x: 1, y: 2 })]
  }

  @McpTool({ output: Type.Union([Type.String(), Type.Null()]) })
  union(): string | null {
    return null
  }

  @McpTool({ output: Type.Unsafe<{ any: 'shape' }>({ type: 'object' }) })
  unsafe(): { any: 'shape' } {
    return { any: 'shape' }
  }

  @McpTool({ output: Type.Literal('on') })
  literal(): 'on' {
    return 'on'
  }

  // @ts-expect-error -- `sum` is missing
  @McpTool({ output: SumOutput })
  missing(): { note: string } {
    return { note: '' }
  }

  // @ts-expect-error -- `sum` is a number
  @McpTool({ output: SumOutput })
  wrongType(): { sum: string } {
    return { sum: '1' }
  }

  // @ts-expect-error -- `sum` may be missing
  @McpTool({ output: SumOutput })
  maybe(): { sum?: number } {
    return {}
  }

  // @ts-expect-error -- `sum` is a number, also in a promise
  @McpTool({ output: SumOutput })
  async wrongPromise(): Promise<{ sum: string }> {
    return { sum: '1' }
  }

  // @ts-expect-error -- undefined is not a result
  @McpTool({ output: SumOutput })
  async nothing(): Promise<void> {}

  // @ts-expect-error -- the return value of a generator is its result
  @McpTool({ output: SumOutput })
  async *wrongGenerator(): AsyncGenerator<ProgressUpdate, { sum: string }> {
    yield { progress: 1 }
    return { sum: '1' }
  }

  // @ts-expect-error -- a generator yields progress
  @McpTool({ output: SumOutput })
  async *wrongProgress(): AsyncGenerator<number, SumOutputValue> {
    yield 1
    return { sum: 1 }
  }

  // @ts-expect-error -- an array of objects, not of numbers
  @McpTool({ output: Type.Array(SumOutput) })
  wrongArray(): number[] {
    return [1]
  }

  // @ts-expect-error -- another model
  @McpTool({ output: TotalModel })
  wrongModel(): Point {
    return new Point({ x: 1, y: 2 })
  }
}

/** Injected parameters come after the arguments, and can have any type. */
export class Injected {
  @McpTool({ input: SumInput, output: SumOutput })
  after({ a }: SumInputValue, clock: Clock, context: McpContext): SumOutputValue {
    return { sum: a + clock.now, note: context.method }
  }

  @McpTool()
  alone(clock: Clock, @Inject('token') database: { readonly url: string }): string {
    return database.url + clock.now
  }

  @McpTool({ output: SumOutput })
  withOutput(clock: Clock): SumOutputValue {
    return { sum: clock.now }
  }
}

/** Places of the decorator. */
export class Targets {
  // @ts-expect-error -- decorators do not apply to an accessor
  @McpTool()
  get accessor(): string {
    return ''
  }

  // @ts-expect-error -- decorators do not apply to a property
  @McpTool()
  property = ''
}

/** Values that are not schemas. */
// @ts-expect-error -- a number
McpTool({ input: 5 })
// @ts-expect-error -- a plain object
McpTool({ input: { type: 'object', properties: {} } })
// @ts-expect-error -- arguments are an object
McpTool({ input: Type.String() })
// @ts-expect-error -- a list
McpTool({ input: Type.Array(SumInput) })
// @ts-expect-error -- a class without a schema
McpTool({ input: Clock })
// @ts-expect-error -- a number
McpTool({ output: 5 })
// @ts-expect-error -- a plain object: that is `outputSchema`
McpTool({ output: { type: 'object' } })
// @ts-expect-error -- a class without a schema
McpTool({ output: Clock })

/** Models. */
export const fromLiteral: SumModel = { a: 1 }
export const made: SumModel = new SumModel({ a: 1, b: 2 })
// @ts-expect-error -- `a` is missing
export const incomplete = new SumModel({ b: 2 })
// @ts-expect-error -- `a` is a number
export const wrong: SumModel = { a: '1' }
// @ts-expect-error -- a tool's arguments are an object, and so is a model
export class NoObject extends Model(Type.String()) {}

/** Tools that are added at run time. */
export async function addTools(): Promise<void> {
  const { catalog } = await createServer({ name: 'types', version: '1', controllers: [] })
  catalog.addTool({
    name: 'typed',
    input: SumInput,
    output: SumOutput,
    handler: (args, context) => {
      expectSame<typeof args, SumInputValue>()
      expectSame<typeof context, McpContext>()
      return { sum: args.a }
    },
  })
  catalog.addTool({ name: 'model', input: Point, handler: (point) => point.length() })
  catalog.addTool({ name: 'by hand', output: SumOutput, handler: () => result({ structuredContent: { sum: 1 } }) })
  catalog.addTool({
    name: 'unchecked',
    inputSchema: { type: 'object' },
    handler: (args) => {
      expectSame<typeof args, unknown>()
      return args
    },
  })
  catalog.addTool({
    name: 'said by hand',
    inputSchema: { type: 'object', properties: { a: { type: 'number' } } },
    handler: ({ a = 0 }: { a?: number }, context: McpContext) => `${a} of ${context.requestId}`,
  })
  const listed: AddedTool = { name: 'listed', handler: (args: Record<string, unknown>) => args }
  catalog.addTool(listed)
  catalog.addTool({
    name: 'said by hand, and wrong',
    inputSchema: { type: 'object' },
    // @ts-expect-error -- the second parameter is the context
    handler: ({ a }: { a: number }, context: string) => `${a} ${context}`,
  })
  catalog.addTool({
    name: 'steps',
    output: SumOutput,
    handler: async function* () {
      yield { progress: 1 }
      return { sum: 1 }
    },
  })
  catalog.addTool({
    name: 'wrong argument',
    input: SumInput,
    // @ts-expect-error -- `a` is a number
    handler: ({ a }: { a: string }) => a,
  })
  catalog.addTool({
    name: 'wrong result',
    output: SumOutput,
    // @ts-expect-error -- `sum` is missing
    handler: () => ({ note: '' }),
  })
  catalog.addTool({
    name: 'wrong promise',
    output: SumOutput,
    // @ts-expect-error -- `sum` is a number
    handler: async () => ({ sum: '1' }),
  })
  // @ts-expect-error -- a number is not a schema
  catalog.addTool({ name: 'no schema', input: 5, handler: () => '' })
  // @ts-expect-error -- the name is missing
  catalog.addTool({ handler: () => '' })
}

export class AppTools {
  @McpTool({ ui: { resourceUri: 'ui://page', visibility: ['app'] } })
  shown(): void {}

  // @ts-expect-error: a page of an app has a URI that begins with ui://
  @McpTool({ ui: { resourceUri: 'https://example.com/' } })
  notShown(): void {}
}

/** Generators may yield only progress. */
export class Yielding {
  @McpTool()
  async *steps() {
    yield { progress: 1, total: 2 }
    return 'done'
  }

  @McpTool()
  // oxlint-disable-next-line require-yield -- a generator without items
  *nothing() {
    return 'done'
  }

  @McpTool()
  // oxlint-disable-next-line typescript/no-explicit-any
  loose(): any {
    return (function* () {
      yield 'row'
    })()
  }

  // @ts-expect-error A string is not progress.
  @McpTool()
  async *rows() {
    yield 'row'
    return 'done'
  }

  // @ts-expect-error An object without a progress member.
  @McpTool()
  *objects() {
    yield { row: 1 }
    return 'done'
  }
}
