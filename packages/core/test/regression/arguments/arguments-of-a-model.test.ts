import { McpTool, Model, Type } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { pino } from 'pino'

const seen: unknown[] = []

class Loan extends Model(Type.Object({ isbn: Type.String(), days: Type.Integer() })) {
  get weeks(): number {
    return this.days / 7
  }

  set limit(value: unknown) {
    seen.push(value)
  }

  describe(): string {
    return `${this.isbn} for ${this.weeks} weeks`
  }
}

class LoanTools {
  @McpTool({ description: 'Lends a book' })
  lend(loan: Loan): string {
    return JSON.stringify([loan.describe(), Object.keys(loan), loan instanceof Loan])
  }
}

describe('arguments that the schema of a model does not name', () => {
  test.each([
    ['an accessor without a setter', { weeks: 1 }, []],
    ['a setter', { limit: 'x' }, []],
    ['a method', { describe: 1 }, []],
    ['a member of every object', { toString: 1, constructor: 2, hasOwnProperty: 3 }, []],
    ['a member that the class does not have', { note: 'x' }, ['note']],
  ])('reach no setter or method of the class: %s', async (_member, more, kept) => {
    const logger = pino({ level: 'silent' })
    const server = await createServer({ name: 'library', version: '1.0.0', controllers: [LoanTools], logger })

    const { content } = await server.callTool('lend', { isbn: '1', days: 14, ...more })

    const expected = ['1 for 2 weeks', ['isbn', 'days', ...kept], true]
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(expected) }])
    expect(seen).toEqual([])
    await server.close()
  })
})

test('a member that the schema names is a plain property, regardless of the class', () => {
  class Odd extends Model(Type.Object({ valueOf: Type.String() })) {}

  expect(Object.entries(new Odd({ valueOf: 'a' }))).toEqual([['valueOf', 'a']])
})
