import { injectable, McpTool, Model, Type } from '@toolwright/core'

@injectable()
export class Clock {
  now(): number {
    return 7
  }
}

export class SumInput extends Model(Type.Object({ a: Type.Number(), b: Type.Number() })) {}
export class SumOutput extends Model(Type.Object({ sum: Type.Number(), at: Type.Number() })) {}

@injectable()
export class SumTools {
  constructor(readonly clock: Clock) {}

  @McpTool()
  add(input: SumInput, clock: Clock): SumOutput {
    return { sum: input.a + input.b, at: this.clock.now() + clock.now() }
  }
}
