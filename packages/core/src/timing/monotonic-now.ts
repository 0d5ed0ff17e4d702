/**
 * Milliseconds on a monotonic clock, for times to live in this process. The wall clock jumps when a machine wakes up or its
 * time is corrected.
 */
export function monotonicNow(): number {
  return performance.now()
}
