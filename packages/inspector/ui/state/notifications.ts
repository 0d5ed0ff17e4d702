import { signal } from '@preact/signals'
import type { EraName } from './settings.js'

export interface Notification {
  readonly seq: number
  readonly era: EraName
  readonly time: Date
  readonly method: string
  readonly params: unknown
}

const maxNotifications = 500

/** Notifications that belong to no call, the newest first. */
export const notifications = signal<readonly Notification[]>([])

/** Notifications since the view was last open. */
export const unread = signal(0)

let lastSeq = 0

export function note(era: EraName, method: string, params: unknown): void {
  const notification = { seq: ++lastSeq, era, time: new Date(), method, params }
  notifications.value = [notification, ...notifications.value].slice(0, maxNotifications)
  unread.value++
}
