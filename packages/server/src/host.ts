// Exports for packages that create servers from the options of a user: they change in any release.

export { InMemoryEventStore } from '@toolwright/sessions'
export { createServerIn } from './create-server.js'
export { Html, html } from './html.js'
export { serverOptions } from './options.js'
export { claimStdout } from './stdio/stdout.js'
export { describeUnreachable, listNames } from './unreachable-features.js'
