// For the sibling packages of this repository only: anything here may change in any release.

export { checkHealth, healthPaths } from './check-health.js'
export { checkRouteGuard, guardRoute, type RouteGuard } from './guard-route.js'
export { closeWhereAuthenticated, mountHost, omitMountOptions, pickMountOptions } from './mount-host.js'
export { findBindProblem } from './open-bind.js'
export { mcpOfHost } from './plugin.js'
export { withoutQuery } from './without-query.js'
