export { default as Again } from './deeper/fourth-tools.js'
