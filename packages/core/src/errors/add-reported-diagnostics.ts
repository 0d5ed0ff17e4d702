import type { BootDiagnosticCode } from './boot-error.js'
import type { Diagnostics } from './diagnostics.js'

/**
 * Adds the problems that an object of the application reports about itself. They may be malformed.
 *
 * @param owner The option with the object: `authentication`.
 * @param own The `problems` of the object; `undefined` or `null`: none.
 */
export function addReportedDiagnostics(owner: string, own: unknown, diagnostics: Diagnostics): void {
  if (own === undefined || own === null) return
  if (Array.isArray(own)) {
    for (const [index, one] of own.entries()) addOwn(`${owner}: problems[${index}]`, one, diagnostics)
    return
  }
  diagnostics.addBadOption(`${owner}: problems`, own, 'Give an array of { code, message }, or leave it out.')
}

function addOwn(name: string, own: unknown, diagnostics: Diagnostics): void {
  const { code, message } = Object(own) as { readonly code?: unknown; readonly message?: unknown }
  if (typeof code === 'string' && typeof message === 'string') diagnostics.add(code as BootDiagnosticCode, message)
  else diagnostics.addBadOption(name, own, 'Give { code, message }, both strings.')
}
