// For the sibling packages of this repository only: anything here may change in any release.

export { modulesBeingEvaluated } from './catalog/scan/modules-being-evaluated.js'
export {
  checkNames,
  type NamesOf,
  requireBoolean,
  requireFunction,
  requireMethods,
  requireNumber,
  requireObject,
} from './check-options.js'
export { addReportedDiagnostics } from './errors/add-reported-diagnostics.js'
export { describeValue } from './errors/describe-value.js'
export { Diagnostics } from './errors/diagnostics.js'
export { describeListenError } from './errors/listen-error.js'
export { nearestName } from './errors/nearest-name.js'
export { isHiddenRefusal } from './hooks/hidden-refusals.js'
export { resolveLimits } from './limits/limits.js'
export { writeExample } from './protocol/modern/read-request.js'
export { loadPatternChecker } from './schema/slow-patterns.js'
export { createServerIn, type Host } from './server/create-server.js'
export { optionNames } from './server/options.js'
export { logToStderr, requireOptionsObject } from './server/resolve-options.js'
export { describeUnreachable, listNames } from './server/unreachable-features.js'
export { longestTimer } from './timing/long-timer.js'
export { logOutput } from './util/log-output.js'
