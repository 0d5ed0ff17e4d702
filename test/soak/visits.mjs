// A tool of a class. Its decorators are called as functions: no compiler has seen this file.
import 'reflect-metadata'
import { McpTool } from 'toolwright'
import { Lifecycle, scoped } from 'tsyringe'

/** One for each call that asks for it. */
class Visitor {}
scoped(Lifecycle.ContainerScoped)(Visitor)

/** A tool that has a container for each call. */
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
