// The `toolwright` command. Each subcommand is loaded when it is used.
import { defineCommand, runMain } from 'citty'
import { loadSettings } from './settings.js'
import { showUsage } from './usage.js'
import { version } from './version.js'

const main = defineCommand({
  meta: { name: 'toolwright', version, description: 'Create, run, inspect and install MCP servers' },
  subCommands: {
    new: () => import('./commands/new.js').then(({ newProject }) => newProject),
    dev: () => {
      loadSettings()
      return import('./commands/dev.js').then(({ dev }) => dev)
    },
    inspect: () => import('./commands/inspect.js').then(({ inspect }) => inspect),
    explain: () => import('./commands/explain.js').then(({ explain }) => explain),
    list: () => import('./commands/list.js').then(({ list }) => list),
    call: () => import('./commands/call.js').then(({ call }) => call),
    types: () => import('./commands/types.js').then(({ types }) => types),
    doctor: () => import('./commands/doctor.js').then(({ doctor }) => doctor),
    publish: () => import('./commands/publish.js').then(({ publish }) => publish),
    install: () => import('./commands/install.js').then(({ install }) => install),
  },
})

await runMain(main, { showUsage })
