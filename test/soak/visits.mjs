// A tool of a class. Its decorators are called as functions, because this file is not compiled.
import 'reflect-metadata'
import { McpTool } from 'toolwright'
import { Lifecycle, scoped } from 'tsyringe'

/** One instance for each call that injects it. */
class Visitor {}
scoped(Lifecycle.ContainerScoped)(Visitor)

/** A tool with a container for each call. */
export class Visits {
  constructor(visitor) {
    this.visitor = visitor
  }

  visit() {
    return 'visited'
  }
}
Reflect.defineMetadata('design:paramtypes', [Visitor], Visits)
McpTool()(Visits.prototype, 'visit', Object.getOwnPropertyDescriptor(Visits.prototype, 'visit'))
