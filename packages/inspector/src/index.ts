// The public API.
export { inspector } from './inspector.js'
export type { InspectorOptions } from './options.js'
