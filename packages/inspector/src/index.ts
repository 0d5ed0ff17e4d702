// The public API.
export type { ForwardTarget } from './forward.js'
export { inspector } from './inspector.js'
export type { InspectorOptions } from './options.js'
