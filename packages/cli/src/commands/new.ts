import { newProject as command } from 'create-toolwright'
import { withExamples } from '../usage.js'

export const newProject = withExamples(command, [
  ['toolwright new', 'ask for everything'],
  ['toolwright new my-server --yes', 'ask nothing'],
  ['toolwright new my-server --from authorization', 'begin with a sample'],
  ['toolwright new my-server --test jest', 'test with Jest'],
])
