/** A value, or a promise of it: the result of a function that the application writes, `async` or not. */
export type MaybePromise<Value> = Value | Promise<Value>
