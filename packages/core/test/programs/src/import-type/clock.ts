import { Model, Type } from '@toolwright/core'

export class Clock {
  now(): number {
    return 0
  }
}

export class Time extends Model(Type.Object({ now: Type.Number() })) {}
