// Runs the provider of the guide as a program, because oidc-provider is an ES module, which Jest on Node 20 cannot
// load. `node oidc-provider.mjs RESOURCE` prints the issuer.
import { createServer } from 'node:http'
import { createProvider } from '../../docs/snippets/dist/oidc-provider.js'

const server = createServer()
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`
  const answer = createProvider(issuer, process.argv[2]).callback()
  server.on('request', (request, response) => void answer(request, response))
  process.stdout.write(`${issuer}\n`)
})
