import { flag, strings, text } from '../options/kinds.js'
import type { OptionsOf } from '../options/option.js'

export const notifyOptions = {
  /** Id of the only session or connection to notify: `context.sessionId`. Disables the default rule. Default: all sessions. */
  sessionId: text({
    pattern: /./s,
    fix: 'Give the sessionId of a context. If it is null, the client has no session: use context.sendNotification.',
  }),
  /** Callers need one of these roles. Case-insensitive for A to Z. Default: none. */
  roles: strings({ default: [] }),
  /** Callers need all of these scopes. Without `roles` and `scopes`, the default rule applies. Default: none. */
  scopes: strings({ default: [] }),
  /** Whether to notify anonymous callers, even if the default rule requires authentication. Default: false. */
  allowAnonymous: flag({ default: false }),
}

/** Options of `changes.notify`: the clients to notify. */
export interface NotifyOptions extends OptionsOf<typeof notifyOptions> {}
