import { apiKeys, serve, serveStdio } from 'toolwright'
import { UserTools } from './authorize-callers.js'

const options = { name: 'users', version: '1.0.0', controllers: [UserTools] }

if (process.argv.includes('--stdio')) {
  await serveStdio(options, { principal: { subject: 'local', roles: ['Manager'] } })
} else {
  const keys = [{ key: process.env['ADMIN_KEY'] ?? '', subject: 'ada', roles: ['Admin'] }]
  await serve({ ...options, authentication: apiKeys({ keys }) })
}
