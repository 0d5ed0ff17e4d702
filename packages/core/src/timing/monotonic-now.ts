/**
 * Returns milliseconds of a monotonic clock, for expiry times within this process. The wall clock jumps when a machine
 * wakes up or its time is corrected.
 */
export function monotonicNow(): number {
  return performance.now()
}
