import { jwtBearer, serve } from 'toolwright'

await serve({
  name: 'shop',
  version: '1.0.0',
  instructions: 'Answers questions about orders. Find the order first.',
  scan: new URL('./tools/', import.meta.url),
  allowedHosts: ['mcp.example.com', '127.0.0.1'],
  authentication: jwtBearer({
    issuer: 'https://login.example.com/realms/main',
    audience: 'https://mcp.example.com/mcp',
  }),
})
