import * as tsyringe from '../container/tsyringe.js'
import { recordDecorated } from '../metadata/store.js'

type ClassDecoratorFactory = (...options: never[]) => (target: never) => void

/** Adds the mark by which boot finds out that a compiler dropped the types of a decorated class. */
function recording<Factory extends ClassDecoratorFactory>(factory: Factory): Factory {
  const decorate = (...options: never[]) => {
    const decorator = factory(...options)
    return (target: never): void => {
      recordDecorated(target)
      decorator(target)
    }
  }
  return decorate as Factory
}

/** Lets a class have its constructor parameters injected. A new instance is made each time. */
export const injectable = recording(tsyringe.injectable)

/** Makes one instance of a class for all calls. */
export const singleton = recording(tsyringe.singleton)

/** Makes one instance of a class in each scope: with `Lifecycle.ContainerScoped`, one for each call. */
export const scoped = recording(tsyringe.scoped)
