// Compiled with the other tests and never run: the types of a class's tools.
import type { ClassTools, McpClient, ResultOf, ToolCall } from '@toolwright/client'
import { type ContentBlock, type McpContext, type Static, Type } from '@toolwright/core'
import { expectSame } from '../../../core/test/types/expect-type.js'
import type { Sale, ShopTools, Stock } from '../support/shop-tools.js'

declare const client: McpClient
const shop = client.tools<ShopTools>()

type Called<Method> = Method extends (...args: never[]) => ToolCall<infer Value> ? Value : never
type Tools = ClassTools<ShopTools>

// Results: promises and generators are awaited, `result(…)` is unwrapped, and dates become strings.
expectSame<Called<Tools['sellArticle']>, { article: string; left: number }>()
expectSame<Called<Tools['countArticles']>, number>()
expectSame<Called<Tools['listNames']>, readonly { name: string; since: string }[]>()
expectSame<Called<Tools['tidyUp']>, undefined>()
expectSame<Called<Tools['showWindow']>, ContentBlock[]>()
expectSame<Called<Tools['weigh']>, { grams: number }>()
expectSame<Called<Tools['countUp']>, number>()
expectSame<ResultOf<Promise<{ at: Date; name?: string; method(): void }>>, { at: string; name?: string }>()
expectSame<ResultOf<Promise<unknown>>, unknown>()

// Arguments: the first parameter, without injected ones, and without the members of a model that are no fields.
expectSame<Parameters<Tools['sellArticle']>[0], { units?: number; article: string }>()
expectSame<Parameters<Tools['printLabel']>[0], { article: string; units: number }>()
expectSame<Parameters<Tools['countUp']>[0], { to: number }>()

export async function use(): Promise<void> {
  await shop.sellArticle({ article: 'tea', units: 2 })
  await shop.sellArticle({ article: 'tea' }, { timeoutMs: 100 })
  await shop.countArticles()
  await shop.countArticles(undefined, { signal: new AbortController().signal })
  for await (const { progress } of shop.countUp({ to: 3 }).progress) progress.toFixed()

  // @ts-expect-error: the class has no such method
  await shop.sellArticles({ article: 'tea' })
  // @ts-expect-error: the arguments are missing
  await shop.sellArticle()
  // @ts-expect-error: an argument is missing
  await shop.sellArticle({ units: 2 })
  // @ts-expect-error: an argument has another type
  await shop.sellArticle({ article: 5 })
  // @ts-expect-error: there is no such argument
  await shop.sellArticle({ article: 'tea', colour: 'green' })
  // @ts-expect-error: the tool has no arguments
  await shop.countArticles({ of: 'tea' })
  // @ts-expect-error: the result has no such member
  void (await shop.sellArticle({ article: 'tea' })).right
  // @ts-expect-error: a date arrives as a string
  void (await shop.listNames())[0]?.since.getTime()
  // @ts-expect-error: the result is a number
  void (await shop.countArticles()).article
  // @ts-expect-error: a context is injected, and no argument
  await shop.waitForever({ signal: new AbortController().signal })
  // @ts-expect-error: only names of methods can be renamed
  client.tools<ShopTools>({ names: { sellArticles: 'sell' } })
  // @ts-expect-error: the members of a model that are no fields are not sent
  await shop.printLabel({ article: 'tea', units: 1, label: 'x', twice: () => 'x' })
}

// The rule for the first parameter: it is injected unless its type is an object of plain data or a model.
interface Settings {
  readonly currency: string
}

class Secrets {
  constructor(private readonly key: string) {}

  protected read(): string {
    return this.key
  }
}

interface Cases {
  byContext(context: McpContext): string
  byMethods(stock: Stock): string
  byPrivateMembers(secrets: Secrets): string
  byString(url: string): string
  byList(urls: readonly string[]): string
  byModel(sale: Sale): string
  byObject(settings: Settings): string
  byOptional(settings?: Settings): string
  byRecord(values: Record<string, number>): string
  byUnion(values: { a: string } | { b: string }): string
  byAny(values: unknown, context: McpContext): string
}

type CaseTools = ClassTools<Cases>
type Arguments<Name extends keyof CaseTools> = Parameters<CaseTools[Name]>[0]
type None = { readonly [name: string]: never } | undefined

expectSame<Arguments<'byContext'>, None>()
expectSame<Arguments<'byMethods'>, None>()
expectSame<Arguments<'byPrivateMembers'>, None>()
expectSame<Arguments<'byString'>, None>()
expectSame<Arguments<'byList'>, None>()
expectSame<Arguments<'byModel'>, { article: string; units: number }>()
expectSame<Arguments<'byObject'>, Settings>()
expectSame<Arguments<'byOptional'>, Settings>()
expectSame<Arguments<'byRecord'>, Record<string, number> | undefined>()
expectSame<Arguments<'byUnion'>, { a: string } | { b: string }>()
// An injected value that looks like arguments has to be named.
expectSame<Parameters<ClassTools<Cases, 'byObject'>['byObject']>[0], None>()

// Arguments with `any`, arguments that can be `null`, and results that are any JSON.
type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue }
interface Loose {
  find(query: { where: any; limit?: number }): string
  findStatic(query: Static<typeof AnyWhere>): string
  record(values: Record<string, any>): string
  nullable(query: { a: string } | null): string
  json(): JsonValue
  jsonLater(query: { of: string }): Promise<JsonValue>
  nested(): { data: JsonValue; at: Date }
  list(): JsonValue[]
  map(): Map<string, number>
  inSet(): { names: Set<string> }
  then(): string
  toString(): string
}
const AnyWhere = Type.Object({ where: Type.Any() })
const loose = client.tools<Loose>()

export async function useLoose(): Promise<void> {
  await loose.find({ where: 1 })
  await loose.find({ where: { a: 1 }, limit: 2 })
  await loose.findStatic({ where: 'x' })
  await loose.record({ a: 1, b: 'x' })
  await loose.nullable({ a: 'x' })
  const json = await loose.json()
  expectSame<typeof json, JsonValue>()
  const later = await loose.jsonLater({ of: 'x' })
  expectSame<typeof later, JsonValue>()
  const nested = await loose.nested()
  expectSame<typeof nested, { data: JsonValue; at: string }>()
  const list = await loose.list()
  expectSame<typeof list, JsonValue[]>()
  const map = await loose.map()
  expectSame<typeof map, Record<string, never>>()
  const inSet = await loose.inSet()
  expectSame<typeof inSet, { names: Record<string, never> }>()

  // @ts-expect-error: an argument has another type
  await loose.nullable({ a: 1 })
  // @ts-expect-error: there is no such argument
  await loose.find({ where: 1, limits: 2 })
  // @ts-expect-error: every object is asked for `then`, so this tool has no method
  void loose.then
  // Not the tool, but the method of every object.
  expectSame<ReturnType<typeof loose.toString>, string>()
}
