import { fileURLToPath } from 'node:url'
import { loadConfig, Type } from 'toolwright'

/**
 * Settings that differ between deployments. `serve` reads `HOST` and `PORT`.
 */
export const config = loadConfig(
  Type.Object({
    READER_KEY: Type.Optional(
      Type.String({
        minLength: 16,
        description: 'API key that reads expenses',
      }),
    ),
    WRITER_KEY: Type.Optional(
      Type.String({
        minLength: 16,
        description: 'API key that also adds and removes expenses',
      }),
    ),
    EXPENSES_FILE: Type.String({
      default: fileURLToPath(new URL('../data/expenses.json', import.meta.url)),
      description: 'file of the expenses',
    }),
  }),
)
