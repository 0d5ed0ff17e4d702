// The polyfill must run before tsyringe does: keep this import first, and import tsyringe nowhere else. The first import is for
// runtimes (Bun loads CommonJS before ES modules), the second for bundlers.
import 'reflect-metadata'
import './polyfill.js'
import { container } from 'tsyringe'
import { thisCopy } from '../copies/copies.js'

thisCopy.container = container

export {
  container as globalContainer,
  type DependencyContainer,
  delay,
  type InjectionToken,
  inject,
  injectAll,
  injectable,
  instanceCachingFactory,
  instancePerContainerCachingFactory,
  Lifecycle,
  predicateAwareClassFactory,
  scoped,
  singleton,
} from 'tsyringe'
