/** The parameters after the arguments. A method decorator cannot see what they are injected with: boot checks them. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Injected = any[]

/** A method decorator that the compiler accepts on methods of one shape only. */
// `Method extends` and not `TypedPropertyDescriptor<Shape>`, which would be invariant.
export type MethodDecoratorFor<Shape extends (...args: never[]) => unknown> = <Method extends Shape>(
  prototype: object,
  method: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void
