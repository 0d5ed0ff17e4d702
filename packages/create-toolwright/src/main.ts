// `npm create toolwright`: the same as `toolwright new`.
// citty decides about colours when it is loaded, and does not look at the kind of output.
if (!process.stdout.isTTY) process.env['NO_COLOR'] = '1'
const { runMain } = await import('citty')
const { newProject } = await import('./new-project.js')

await runMain(newProject)

export {}
