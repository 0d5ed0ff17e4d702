// An upstream over stdio. The tool `env` returns its environment variables, `crash` ends the program.
import { createServer } from '@toolwright/core'
import { serveStdio } from '@toolwright/server/stdio'

const server = await createServer({
  name: 'program',
  version: '1.0.0',
  controllers: [],
  onReady: ({ catalog }) => {
    catalog.addTool({ name: 'env', handler: () => Object.keys(process.env).toSorted().join(' ') })
    catalog.addTool({ name: 'pid', handler: () => String(process.pid) })
    catalog.addTool({ name: 'crash', handler: () => process.exit(1) })
  },
})
await serveStdio(server)
