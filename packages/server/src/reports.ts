import type { ServerReports } from '@toolwright/core/reports'
import { buildAuthorizationMatrix } from './access/authorization-matrix.js'
import { findAll } from './checks/find-all.js'
import { warn } from './checks/warn.js'
import { explainCatalog } from './explain/explain-catalog.js'

export const reports: ServerReports = {
  explain: (catalog, boot) => explainCatalog(catalog, { ...boot, ...findAll(catalog) }),
  authorizationMatrix: buildAuthorizationMatrix,
  warn,
}
