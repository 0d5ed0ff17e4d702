import { McpController, McpResource, type McpServer, McpTool } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { pino } from 'pino'
import { findDiagnostics, findMistakes } from './find-problems.js'

class Sums {
  @McpTool('add')
  sum(): string {
    return ''
  }
}

describe('names', () => {
  it('are reported as duplicates with both methods', async () => {
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

  it('are reported as duplicates within a class, each with the first method', async () => {
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

  it('are not reported as duplicates for a class that is listed twice', async () => {
    expect(await findMistakes(Sums, Sums)).toEqual([])
  })

  it('must consist of the characters that the spec allows', async () => {
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

  it('are required for resources, also for those added at run time', async () => {
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

  it('cannot be empty, and long ones are truncated in the message', async () => {
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

  it('are checked together with the prefix of the class', async () => {
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

  it('are required where the method is named by a symbol or with invalid characters', async () => {
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

  it('must be unused when a tool is added, or the error suggests a fix', async () => {
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
