import { flag, strings, text } from '../options/kinds.js'
import type { OptionsOf } from '../options/option.js'

export const notifyOptions = {
  /**
   * Only this session or connection is notified: the `sessionId` of a context. Its rule is then `roles` and `scopes`
   * alone. Default: all.
   */
  sessionId: text({
    pattern: /./s,
    fix: 'Give the sessionId of a context. It is null for a client without a session, which only sendNotification reaches.',
  }),
  /** Callers need one of these roles. The case of A to Z does not matter. Default: as for a feature without a rule. */
  roles: strings({ default: [] }),
  /** Callers need all of these scopes. Default: as for a feature without a rule. */
  scopes: strings({ default: [] }),
  /** Whether anonymous callers are notified in spite of the rule of features without one. Default: false. */
  allowAnonymous: flag({ default: false }),
}

/** Options of `changes.notify`: the clients to notify. */
export interface NotifyOptions extends OptionsOf<typeof notifyOptions> {}
