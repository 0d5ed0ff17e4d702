export { newProject } from 'create-toolwright'
