// The polyfill must run before tsyringe does: keep this import first, and import tsyringe nowhere else.
import 'reflect-metadata'

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
