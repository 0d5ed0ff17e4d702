import type { Logger } from 'pino'
import type { OptionRows, ReadOptions } from '../options/option.js'
import type { Extension } from '../protocol/extensions/extension.js'
import type { serverOptions } from './options.js'

/** A capability outside core: its options, and the extension that serves it. */
export interface ServerPart<Rows extends OptionRows = OptionRows> {
  readonly options: Rows
  /** Names of those options that add features: a server with such an option needs no `controllers`. Default: none. */
  readonly addingFeatures?: readonly string[]
  /** @param options The checked options of the part and of the server. */
  create(options: ReadOptions<Rows> & ReadOptions<typeof serverOptions>, log: Logger): Extension
}
