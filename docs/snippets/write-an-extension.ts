import {
  type Extension,
  InvalidParamsError,
  McpTool,
  type ServerOptions,
} from 'toolwright'

// #region extension
const costs: Readonly<Record<string, number>> = { translate: 5 }

export const quotas: Extension = {
  id: 'com.example/quotas',
  settings: () => ({ unit: 'credits' }),
  methods: {
    'quotas/get': ({ tool }, { principal }) => {
      const cost = costs[String(tool)]
      if (cost === undefined)
        throw new InvalidParamsError(`No quota for ${String(tool)}`)
      return { subject: principal?.subject ?? 'anonymous', cost, left: 95 }
    },
  },
  listedMeta: {
    tools: ({ name }) => ({ 'com.example/cost': costs[String(name)] ?? 0 }),
  },
}
// #endregion

// #region frames
/**
 * Answers each binary frame with its highest byte, and leaves text frames to
 * JSON-RPC.
 */
export const levels: Extension = {
  id: 'com.example/levels',
  webSocket: () => (socket) => ({
    receiveBinary(samples) {
      socket.send(
        JSON.stringify({
          peak: samples.reduce((peak, sample) => Math.max(peak, sample), 0),
        }),
      )
      return true
    },
  }),
}
// #endregion

class TranslationTools {
  @McpTool({ description: 'Translates a greeting' })
  translate(): string {
    return 'Grüezi'
  }
}

export const translations: ServerOptions = {
  name: 'translations',
  version: '1.0.0',
  controllers: [TranslationTools],
  extensions: [quotas],
}
