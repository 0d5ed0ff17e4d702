// The polyfill must run before tsyringe does: keep this import first, and import tsyringe nowhere else.
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
  injectable,
  Lifecycle,
  scoped,
  singleton,
} from 'tsyringe'
