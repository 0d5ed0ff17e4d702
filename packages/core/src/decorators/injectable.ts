import * as tsyringe from '../container/tsyringe.js'
import { recordDecorated } from '../metadata/store.js'

type ClassDecoratorFactory = (...options: never[]) => (target: never) => void

/** Marks decorated classes, so that boot can detect classes whose types the compiler did not emit. */
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

/** Enables injection into the constructor of a class. Each injection of the class creates a new instance. */
export const injectable = recording(tsyringe.injectable)

/** Creates one instance of a class for all calls. */
export const singleton = recording(tsyringe.singleton)

/** Creates one instance of a class for each scope: with `Lifecycle.ContainerScoped`, one for each call. */
export const scoped = recording(tsyringe.scoped)
