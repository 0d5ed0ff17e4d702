export class Clock {
  now(): number {
    return 0
  }
}

export const limit = 5

export function helper(): null {
  return null
}
