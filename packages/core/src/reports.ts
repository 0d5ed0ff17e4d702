// Exports for reports about the features of a server.

export { isAdmitted, isVisible } from './authorization/access-rule.js'
export { normalUri } from './catalog/normal-uri.js'
export { haveCommonUri, isMoreSpecific, isSameLanguage } from './catalog/template-language.js'
export { describeToken } from './container/registration.js'
export { ownFile } from './copies/call-stack.js'
export { lacksReturnType } from './metadata/compiled-types.js'
export { type ServerReports } from './server/reports.js'
