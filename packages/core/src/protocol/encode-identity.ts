import type { JsonObject } from '../rpc/messages.js'
import type { Revision } from './revisions.js'
import type { ServerIdentity } from './served.js'

/** The server's `Implementation`, with nothing in it that is younger than the revision. */
export function encodeIdentity(identity: ServerIdentity, revision: Revision): JsonObject {
  const { name, version, title, description, websiteUrl, icons } = identity
  if (!revision.titles) return { name, version }
  return revision.icons ? { name, version, title, description, websiteUrl, icons } : { name, version, title }
}
