import { apiKeys, serve } from 'toolwright'
import { ForecastTools } from './validate-arguments.js'

await serve({
  name: 'weather',
  version: '1.0.0',
  controllers: [ForecastTools],
  authentication: apiKeys({
    keys: [
      {
        key: process.env['BUILD_KEY'] ?? '',
        subject: 'build',
        scopes: ['tools:read'],
      },
      // Only the digest is stored here. The owner has the key itself.
      {
        sha256:
          '57d6126c3ca4c315c56c2c1b44523e54e56aef8ebb673cfc6885bd852a8c1d82',
        subject: 'nightly',
      },
    ],
  }),
})
