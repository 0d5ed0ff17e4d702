/** True only for the same type: `any` equals only `any`, and optional and readonly are compared. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Compiles only when the two types are the same: `expectSame<Infer<typeof Schema>, { a: number }>()`. */
export function expectSame<A, B>(..._proof: Same<A, B> extends true ? [] : ['these two types differ']): void {}
