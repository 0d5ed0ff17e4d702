import { fileURLToPath } from 'node:url'
import { loadConfig, Type } from 'toolwright'

/**
 * Settings that differ between deployments. `serve` reads `HOST` and `PORT`.
 */
export const config = loadConfig(
  Type.Object({
    PAGES: Type.String({
      default: fileURLToPath(new URL('../pages/', import.meta.url)),
      description: 'folder of the Markdown pages',
    }),
  }),
)
