// Descriptions of options, for packages that define options: types, checks and defaults come from one object.

export { describeValue } from './errors/describe-value.js'
export { addReportedDiagnostics, Diagnostics, describeThrown, reportThrown } from './errors/diagnostics.js'
export { nearestName } from './errors/nearest-name.js'
export { limitsOption } from './limits/limits.js'
export { recordDiagnostic } from './metadata/store.js'
export { checkNames, type NameAdvice } from './options/check-names.js'
export {
  bytes,
  count,
  custom,
  flag,
  func,
  isObject,
  isStringList,
  kind,
  list,
  milliseconds,
  nested,
  number,
  object,
  oneOf,
  required,
  someOf,
  strings,
  text,
  unchecked,
  withMethods,
} from './options/kinds.js'
export {
  defaultsOf,
  type Option,
  type OptionRows,
  type OptionsOf,
  type ReadOptions,
  readNamedOptions,
  readOptions,
} from './options/option.js'
export { serverOptions } from './server/options.js'
export { longestTimer } from './timing/long-timer.js'
