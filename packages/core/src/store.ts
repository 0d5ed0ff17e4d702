// Exports for packages that implement a store: see "Write a store" in the docs.

export { type Bus, InProcessBus } from './bus.js'
export { StoreFull } from './errors/limit-error.js'
export { retry } from './timing/retry.js'
