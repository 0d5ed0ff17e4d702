// Exports for programs that log to stderr and listen on ports: they change in any release.

export { describeListenError } from './program/listen-error.js'
export { logOutput, logToStderr } from './program/log-output.js'
