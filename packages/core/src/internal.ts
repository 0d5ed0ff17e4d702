// These exports are only for the sibling packages of this repository, and can change in any release.

export { modulesBeingEvaluated } from './catalog/scan/module-loader.js'
export { describeListenError } from './errors/listen-error.js'
export { isHiddenRejection } from './hooks/hidden-rejections.js'
export { writeExample } from './protocol/modern/read-request.js'
export { logToStderr, requireOptionsObject } from './server/resolve-options.js'
export { logOutput } from './util/log-output.js'
