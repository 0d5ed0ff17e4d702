export { newProject } from './new-project.js'
