// #region structured
import {
  audio,
  embeddedResource,
  image,
  McpTool,
  resourceLink,
  result,
  type Static,
  ToolError,
  Type,
  text,
} from 'toolwright'

const Measurement = Type.Object({
  celsius: Type.Number(),
  station: Type.String(),
})

export class TemperatureTools {
  @McpTool({ description: 'Measures the temperature', output: Measurement })
  async measure(): Promise<Static<typeof Measurement>> {
    return { celsius: 21.5, station: 'Belém' }
  }
}
// #endregion

// #region closed
const Account = Type.Object(
  { name: Type.String() },
  { additionalProperties: false },
)

export class AccountTools {
  @McpTool({
    description: 'Returns the account of the caller',
    output: Account,
  })
  whoAmI(): Static<typeof Account> {
    const { name } = loadAccount()
    return { name }
  }
}
// #endregion

function loadAccount(): { name: string; passwordHash: string } {
  return { name: 'Ada', passwordHash: '…' }
}

const chart = Buffer.from('iVBORw0KGgo=', 'base64')
const recording = new Uint8Array()

export class ReportTools {
  // #region blocks
  @McpTool({ description: 'Draws the last week' })
  drawWeek() {
    return [
      text('The last week, in degrees Celsius'),
      image(chart, 'image/png'),
      audio(recording, 'audio/wav'),
      resourceLink('https://example.com/week.csv', 'week.csv', {
        mimeType: 'text/csv',
      }),
      embeddedResource({
        uri: 'memo:///week',
        mimeType: 'text/plain',
        text: 'Warm',
      }),
    ]
  }
  // #endregion

  // #region result
  @McpTool({
    description: 'Measures the temperature, and draws it',
    output: Measurement,
  })
  measureAndDraw() {
    return result({
      structuredContent: { celsius: 21.5, station: 'Belém' },
      content: [text('21.5 °C in Belém'), image(chart, 'image/png')],
      _meta: { 'example.com/source': 'station 7' },
    })
  }
  // #endregion

  // #region error
  @McpTool({
    description: 'Measures the temperature in a city',
    input: Type.Object({ city: Type.String() }),
  })
  measureIn({ city }: { city: string }): string {
    throw new ToolError(`There is no station in ${city}. Try Lisbon or Porto.`)
  }
  // #endregion
}

// #region hidden
export class PageTools {
  @McpTool({
    description: 'Reads a web page',
    input: Type.Object({ url: Type.String() }),
    untrusted: true,
  })
  readPage({ url }: { url: string }): string {
    return `Content of the page at ${url}`
  }

  @McpTool({ description: 'Draws a table for terminals', rawText: true })
  drawTable(): string {
    return '\u001b[1mName\u001b[0m'
  }
}
// #endregion
