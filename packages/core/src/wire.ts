// Exports for client packages: rules that both ends of a connection follow. This file must not import server code, because
// browsers bundle it.

export { toSnakeCase, type WireNameOptions, wireNameOf } from './catalog/define/wire-name.js'
export { nearestName } from './errors/nearest-name.js'
export type { ModelInstance, modelFields } from './model.js'
export { type ResultKind, resultKindKey } from './plan/result-kind.js'
export { latestVersion } from './protocol/latest-version.js'
export { isSliceOver, nextSlice } from './timing/time-slice.js'
