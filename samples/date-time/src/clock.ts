import { singleton } from 'toolwright'

/** The current time. Tests register another clock. */
@singleton()
export class Clock {
  now(): Date {
    return new Date()
  }
}
