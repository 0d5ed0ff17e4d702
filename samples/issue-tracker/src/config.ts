import { loadConfig, Type } from 'toolwright'

/**
 * Settings that differ between deployments. `serve` reads `HOST` and `PORT`.
 */
export const config = loadConfig(
  Type.Object({
    DATABASE: Type.Optional(
      Type.String({ description: 'file of the SQLite database' }),
    ),
    ISSUER: Type.Optional(
      Type.String({
        pattern: '^https?://',
        description: 'issuer of the tokens',
      }),
    ),
    AUDIENCE: Type.Optional(
      Type.String({
        pattern: '^https?://',
        description: 'the URL of this server',
      }),
    ),
    NODE_ENV: Type.String({ default: 'development' }),
  }),
)
