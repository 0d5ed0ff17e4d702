// The public API.
export { TracingHook, type TracingOptions } from './tracing-hook.js'
