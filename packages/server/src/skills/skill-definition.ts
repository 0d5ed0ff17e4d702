import type { JsonObject } from '@toolwright/core'

export interface SkillFile extends JsonObject {
  readonly uri: string
  /** Digest of the bytes: `sha256:` and 64 hexadecimal digits. */
  readonly digest: string
  /** Size in bytes. */
  readonly size: number
}

/** A skill as `skills/list` returns it. The files of the skill are served as resources. */
export interface SkillDefinition extends JsonObject {
  readonly uri: string
  /** Front matter of `SKILL.md`, as JSON. */
  readonly frontmatter: JsonObject
  /** All files, sorted by URI, including the files of nested skills. */
  readonly resources: readonly SkillFile[]
}
