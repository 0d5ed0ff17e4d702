import { apiKeys, serve } from 'toolwright'
import { UserTools } from './authorize-callers.js'

const keys = [
  { key: process.env['ADMIN_KEY'] ?? '', subject: 'ada', roles: ['Admin'] },
]
await serve({
  name: 'users',
  version: '1.0.0',
  controllers: [UserTools],
  authentication: apiKeys({ keys }),
  stdio: { principal: { subject: 'local', roles: ['Manager'] } },
})
