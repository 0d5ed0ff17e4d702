/** Parts of a sample's README that are true in a clone only. */
const repositoryOnly = /<!-- only in the repository -->\n[^]*?<!-- end -->\n+/g

/** Rewrites a file of a sample for a stand-alone project: paths begin at the folder of the sample. */
export function rewritePaths(text: string, sample: string): string {
  return text
    .replaceAll(new RegExp(`context: \\.\\./\\.\\.\\n +dockerfile: samples/${sample}/Dockerfile`, 'g'), 'context: .')
    .replaceAll(`samples/${sample}/`, '')
}

export interface ReadmeParts {
  /** The first paragraph. */
  readonly introduction: string
  readonly rest: string
}

/** Rewrites the README of a sample for a stand-alone project, without its heading, and without links into the clone. */
export function rewriteReadme(text: string, sample: string): ReadmeParts {
  const [, body = text] = /^# .+\n+([^]*)$/.exec(text.replaceAll(repositoryOnly, '')) ?? []
  const [introduction = '', ...rest] = rewritePaths(body, sample)
    .replaceAll(/^npm run build {2,}# at the root of the repository\n/gm, 'npm run build\n')
    .replaceAll(/\[([^\]]+)\]\((?:\.\.\/)+[^)]*\)/g, '$1')
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replaceAll(/^\| `test\/.*\n?/gm, '').trimEnd())
    .filter((paragraph) => !paragraph.startsWith('`test/sample.test.ts`'))
  return { introduction: introduction.replaceAll('\n', ' ').trim(), rest: rest.join('\n\n').trim() }
}

/**
 * Returns the files of the Agent Skill of a project, by path. Most coding agents look for skills in `.agents`. Claude
 * Code looks in `.claude`, so a short skill in `.claude` refers to the skill in `.agents`.
 */
export function agentSkill(text: string): Readonly<Record<string, string>> {
  const [frontMatter = ''] = /^---\n[^]*?\n---\n/.exec(text) ?? []
  return {
    // Removes the comments that name the source files of the snippets in the clone.
    '.agents/skills/toolwright/SKILL.md': text.replaceAll(/^<!--.*-->\n/gm, ''),
    '.claude/skills/toolwright/SKILL.md': `${frontMatter}\nRead \`.agents/skills/toolwright/SKILL.md\` and follow it.\n`,
  }
}
