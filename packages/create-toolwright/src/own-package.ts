import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const own = new URL('../', import.meta.url)

/** Version of Toolwright: `0.1.0`. All packages of a release have the same version. */
export const { version } = JSON.parse(readFileSync(new URL('package.json', own), 'utf8')) as {
  readonly version: string
}

export const templates = fileURLToPath(new URL('templates/', own))

/** Root of the clone that this program runs from. `null` if this program was installed from npm. */
export const clone = existsSync(new URL('../../packages/create-toolwright/', own))
  ? fileURLToPath(new URL('../../', own))
  : null

/**
 * The Agent Skill that teaches coding agents to use Toolwright: it is a copy of the skill in the clone, and is packed
 * with the templates.
 */
export const skill = fileURLToPath(
  new URL(clone === null ? 'templates/skills/toolwright/SKILL.md' : '../../skills/toolwright/SKILL.md', own),
)
