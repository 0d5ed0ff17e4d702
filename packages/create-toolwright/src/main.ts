// `npm create toolwright`: the same as `toolwright new`.
import { runMain } from 'citty'
import { newProject } from './new-project.js'

await runMain(newProject)
