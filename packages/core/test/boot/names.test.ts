import { createServer, McpController, McpResource, type McpServer, McpTool } from '@toolwright/core'
import { pino } from 'pino'
import { findDiagnostics, findMistakes } from './find-problems.js'

class Sums {
  @McpTool('add')
  sum(): string {
    return ''
  }
}

describe('names', () => {
  it('names both methods of a name that is taken', async () => {
    class Colours {
      @McpTool()
      add(): string {
        return ''
      }
    }

    expect(await findMistakes(Sums, Colours)).toEqual([
      "duplicate-name: Tool 'add' is declared by both Sums.sum and Colours.add. Rename one.",
    ])
  })

  it('names both methods of one class, and the first for each further one', async () => {
    class Twice {
      @McpTool('get')
      first(): string {
        return ''
      }

      @McpTool('get')
      second(): string {
        return ''
      }

      @McpTool('get')
      third(): string {
        return ''
      }
    }

    expect(await findMistakes(Twice)).toEqual([
      "duplicate-name: Tool 'get' is declared by both Twice.first and Twice.second. Rename one.",
      "duplicate-name: Tool 'get' is declared by both Twice.first and Twice.third. Rename one.",
    ])
  })

  it('takes a class that is listed twice as one', async () => {
    expect(await findMistakes(Sums, Sums)).toEqual([])
  })

  it('refuses a name with other characters than the spec allows', async () => {
    class Spaced {
      @McpTool('add numbers')
      add(): string {
        return ''
      }
    }

    expect(await findMistakes(Spaced)).toEqual([
      "bad-name: Spaced.add: 'add numbers' is not a valid tool name. " +
        'Use 1 to 128 of the characters A-Z a-z 0-9 _ . -',
    ])
  })

  it('refuses a resource without a name, also one that is added', async () => {
    class Pages {
      @McpResource('pages://1', { name: '' })
      first(): string {
        return ''
      }
    }

    const onReady = ({ catalog }: McpServer): void =>
      catalog.addResource({ uri: 'pages://2', handler: () => '' } as never)
    expect(await findMistakes(Pages)).toEqual([
      "bad-name: Pages.first: its name is the string ''. Give a string that is not empty.",
    ])
    expect(await findDiagnostics({ onReady })).toEqual([
      "bad-name: resource 'pages://2': its name is undefined. Give a string that is not empty.",
    ])
  })

  it('refuses an empty name, and quotes no more than the beginning of a long one', async () => {
    class Lengths {
      @McpTool('')
      none(): string {
        return ''
      }

      @McpTool('x'.repeat(128))
      longest(): string {
        return ''
      }

      @McpTool('x'.repeat(129))
      long(): string {
        return ''
      }
    }

    expect(await findMistakes(Lengths)).toEqual([
      "bad-name: Lengths.none: '' is not a valid tool name. Use 1 to 128 of the characters A-Z a-z 0-9 _ . -",
      `bad-name: Lengths.long: '${'x'.repeat(128)}…' is not a valid tool name. ` +
        'Use 1 to 128 of the characters A-Z a-z 0-9 _ . -',
    ])
  })

  it('checks the name together with the prefix of its class', async () => {
    @McpController({ prefix: 'my tools: ' })
    class Prefixed {
      @McpTool()
      add(): string {
        return ''
      }
    }

    expect(await findMistakes(Prefixed)).toEqual([
      "bad-name: Prefixed.add: 'my tools: add' is not a valid tool name. " +
        'Use 1 to 128 of the characters A-Z a-z 0-9 _ . -',
    ])
  })

  it('wants a name for a method that is named by a symbol, or in letters that names do not have', async () => {
    const hidden = Symbol('hidden')

    class Unnamed {
      @McpTool()
      [hidden](): string {
        return ''
      }

      @McpTool()
      größe(): string {
        return ''
      }
    }

    expect(await findMistakes(Unnamed)).toEqual([
      "bad-name: Unnamed.Symbol(hidden): '' is not a valid tool name. " +
        'Use 1 to 128 of the characters A-Z a-z 0-9 _ . -',
      "bad-name: Unnamed.größe: 'größe' is not a valid tool name. " +
        'Use 1 to 128 of the characters A-Z a-z 0-9 _ . -',
    ])
  })

  it('refuses a tool that is added under a name in use, and says what to do', async () => {
    const server = await createServer({
      name: 'test',
      version: '1.0.0',
      controllers: [Sums],
      logger: pino({ level: 'silent' }),
    })

    expect(() => server.catalog.addTool({ name: 'add', handler: () => 'other' })).toThrow(
      "Tool 'add' cannot be added: 1 problem found.\n" +
        "  1. Tool 'add' is already served. Remove it first, or choose another name. [duplicate-name]",
    )
    expect(() => server.catalog.addTool({ name: 'a b', handler: () => 'other' })).toThrow(
      "Tool 'a b' cannot be added: 1 problem found.\n" +
        "  1. tool 'a b': 'a b' is not a valid tool name. " +
        'Use 1 to 128 of the characters A-Z a-z 0-9 _ . - [bad-name]',
    )
    expect(() => server.catalog.addTool({ name: 5 as never, handler: () => 'other' })).toThrow(
      "Tool '5' cannot be added: 1 problem found.\n" +
        "  1. tool '5': 5 is not a valid tool name. Use 1 to 128 of the characters A-Z a-z 0-9 _ . - [bad-name]",
    )
    expect(server.catalog.tools.all.map(({ name }) => name)).toEqual(['add'])
    await server.close()
  })
})
