import { defineCommand } from 'citty'
import { readPort } from '../client/flags.js'
import { reportErrors } from '../command-error.js'
import { withExamples } from '../usage.js'

const definition = defineCommand({
  meta: { name: 'dev', description: 'Run a server, and reload it when a file is saved' },
  args: {
    entry: {
      type: 'positional',
      required: false,
      description: 'The file that starts the server. Default: src/main.ts, or another common name.',
    },
    port: { type: 'string', valueHint: 'number', description: 'Port to listen on. Default: PORT, or 3000.' },
    host: { type: 'string', valueHint: 'address', description: 'Address to listen on. Default: HOST, or 127.0.0.1.' },
    stdio: {
      type: 'boolean',
      description: 'Serve over standard input and output, for a client that starts this command.',
    },
    inspector: {
      type: 'boolean',
      default: true,
      description: 'Serve the inspector at /inspector, on this machine only.',
      negativeDescription: 'Serve no inspector.',
    },
    types: {
      type: 'boolean',
      default: true,
      description: 'Check types, if the project has TypeScript.',
      negativeDescription: 'Do not check types.',
    },
    open: { type: 'boolean', description: 'Open the inspector in the browser.' },
  },
  run: ({ args, rawArgs }) =>
    reportErrors(async () => {
      // Loaded when needed, so that the help is shown at once.
      const { runDev } = await import('../dev/run-dev.js')
      return runDev({
        entry: args.entry,
        host: args.host,
        port: args.port === undefined ? undefined : readPort(args.port),
        isStdio: args.stdio === true,
        hasInspector: args.inspector,
        checksTypes: args.types,
        opensBrowser: args.open === true,
        programArguments: rawArgs.includes('--') ? rawArgs.slice(rawArgs.indexOf('--') + 1) : [],
      })
    }),
})

export const dev = withExamples(definition, [
  ['toolwright dev', 'run src/main.ts on http://127.0.0.1:3000/mcp'],
  ['toolwright dev src/server.ts --port 4000', 'run another file on another port'],
  ['toolwright dev --stdio', 'serve the client that starts the command'],
])
