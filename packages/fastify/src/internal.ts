// Meant only for the sibling packages of this repository: any export may change in any release.

export {
  type DevMount,
  type DevMounts,
  type DevParts,
  type DevStores,
  devParts,
  findDevMounts,
} from './dev-host.js'
export { withoutQuery } from './endpoint/without-query.js'
export { healthPaths, readHealthOptions } from './health/check-health.js'
export { closeWhereAuthenticated, mountHost, omitMountOptions, pickMountOptions } from './mount/mount-host.js'
export { mcpOfHost } from './plugin.js'
export { credentialsHeader } from './security/credentials-header.js'
export { checkRouteGuard, guardRoute, type RouteGuard, rejectForeignHost } from './security/guard-route.js'
export { findBindDiagnostic } from './security/open-bind.js'
