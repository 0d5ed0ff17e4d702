import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { McpResource } from '@toolwright/core'
import { makeFolder, skillText } from '../support/folders.js'
import { findDiagnostics } from './find-problems.js'

/** Replaces the path of the folder, which differs between runs. */
async function diagnosticsOf(files: Parameters<typeof makeFolder>[0], more = {}): Promise<readonly string[]> {
  const folder = makeFolder(files)
  const diagnostics = await findDiagnostics({ skills: folder, ...more })
  return diagnostics.map((diagnostic) => diagnostic.replaceAll(folder, 'skills-folder').replaceAll('\\', '/'))
}

const file = 'skills: skills-folder/one/SKILL.md'

describe('the front matter of a skill', () => {
  test.each([
    [
      'is missing',
      '# One',
      'does not begin with front matter (a line ---, YAML and a line ---) of at most 16384 characters',
    ],
    ['does not end', '---\nname: one\ndescription: One\n', 'does not begin with front matter'],
    ['is too long', `---\nname: one\n# ${'x'.repeat(20_000)}\n---\n`, 'does not begin with front matter'],
    ['is invalid YAML', '---\nname: [one\n---\n', 'has front matter that cannot be read: '],
    ['has a duplicate key', '---\nname: one\nname: two\n---\n', 'Map keys must be unique'],
    ['is not JSON', '---\nname: one\ndescription: One\nn: .inf\n---\n', "'n' is Infinity, which JSON cannot express"],
    ['is a list', '---\n- one\n---\n', 'has invalid front matter: it must be an object, got an array'],
    [
      'has no description',
      '---\nname: one\n---\n',
      "has invalid front matter: it is missing required property 'description'",
    ],
    [
      'has an empty description',
      "---\nname: one\ndescription: ''\n---\n",
      "'description' must be at least 1 character long",
    ],
    ['has a number for a name', '---\nname: 1\ndescription: One\n---\n', "'name' must be a string, got a number"],
    ['has a bad name', '---\nname: One\ndescription: One\n---\n', "'name' must match the pattern"],
    [
      'has a name that differs from its folder',
      skillText('two'),
      "has the name 'two', but its folder is 'one': give both the same name",
    ],
    [
      'uses a reserved key',
      skillText('one', 'metadata: { io.modelcontextprotocol/x: 1 }\n'),
      "has metadata 'io.modelcontextprotocol/x', whose prefix is reserved",
    ],
    [
      'expands exponentially',
      `---\nname: one\ndescription: One\na: &a [x,x,x,x,x,x,x,x,x]\n${bomb()}---\n`,
      'Excessive alias count',
    ],
    [
      'is much longer with its aliases',
      `---\nname: one\ndescription: One\na: &a ${'x'.repeat(1000)}\nb: [${'*a, '.repeat(50)}]\n---\n`,
      'has front matter of more than 16384 characters as JSON',
    ],
    [
      'is nested too deeply',
      `---\nname: one\ndescription: One\na: ${'['.repeat(8000)}\n---\n`,
      'has front matter that cannot be read: ',
    ],
  ])('is rejected if it %s', async (_what, text, message) => {
    const diagnostics = await diagnosticsOf({ 'one/SKILL.md': text })
    expect(diagnostics).toEqual([expect.stringMatching(/^bad-skill: .* Correct it\.$/s)])
    expect(diagnostics[0]).toContain(`${file} `)
    expect(diagnostics[0]).toContain(message)
  })
})

function bomb(): string {
  const letters = 'abcdefghi'.split('')
  return letters
    .slice(1)
    .map(
      (letter, index) => `${letter}: &${letter} [${Array.from({ length: 9 }, () => `*${letters[index]}`).join(',')}]\n`,
    )
    .join('')
}

describe('folders of skills', () => {
  it('must exist', async () => {
    expect(await findDiagnostics({ skills: ['/no/such/folder', 'file:///nor/this'] })).toEqual([
      expect.stringMatching(
        /^skill-folder-missing: skills: the folder \/no\/such\/folder cannot be read: .*ENOENT.* Give one that exists, such as new URL\('\.\/skills\/', import\.meta\.url\)\.$/,
      ),
      expect.stringMatching(/^skill-folder-missing: skills: the folder file:\/\/\/nor\/this cannot be read/),
    ])
  })

  it('must contain a skill', async () => {
    expect(await diagnosticsOf({ 'one/README.md': 'hello' })).toEqual([
      'bad-skill: skills: no SKILL.md was found in the subfolders of skills-folder. Give each skill a folder with a SKILL.md.',
    ])
  })

  it('reject a skill in a file with another name', async () => {
    const files = { 'one/SKILL.md': skillText('one'), 'one/docs/skill.md': 'A file like any other' }
    expect(await diagnosticsOf(files)).toEqual([])
    expect(await diagnosticsOf({ ...files, 'two/Skill.md': skillText('two') })).toEqual([
      'bad-skill: skills: skills-folder/two/Skill.md is not a skill, because it is not named SKILL.md. Rename it.',
    ])
  })

  it('cannot be skills themselves', async () => {
    expect(await diagnosticsOf({ 'SKILL.md': skillText('one') })).toEqual([
      'bad-skill: skills: skills-folder/SKILL.md is directly in the folder given to `skills`. Give the parent folder. Correct it.',
    ])
  })

  it('must have distinct names', async () => {
    const diagnostics = await diagnosticsOf({ 'a/one/SKILL.md': skillText('one'), 'b/one/SKILL.md': skillText('one') })
    expect(diagnostics).toEqual([
      "duplicate-name: Skill 'one' is at both skills-folder/a/one/SKILL.md and skills-folder/b/one/SKILL.md. Rename one.",
    ])
  })

  it('cannot contain symbolic links', async () => {
    const secret = makeFolder({ 'secret.txt': 'hunter2' })
    const folder = makeFolder({ 'one/SKILL.md': skillText('one') })
    symlinkSync(join(secret, 'secret.txt'), join(folder, 'one', 'notes.txt'))
    symlinkSync(secret, join(folder, 'two'))
    symlinkSync(folder, join(folder, 'one', 'endless'))
    expect(await findDiagnostics({ skills: folder })).toEqual(
      ['one/endless', 'one/notes.txt', 'two'].map(
        (path) =>
          `bad-skill: skills: ${join(folder, path)} is a symbolic link, which is not followed. ` +
          'Replace it with a file, or remove it.',
      ),
    )
  })

  it('can be links themselves', async () => {
    const folder = makeFolder({ 'one/SKILL.md': skillText('one') })
    const link = join(makeFolder({}), 'link')
    symlinkSync(folder, link)
    expect(await findDiagnostics({ skills: link })).toEqual([])
  })

  it('are searched to a limited depth', async () => {
    const folder = makeFolder({ 'one/SKILL.md': skillText('one') })
    const deep = Array.from({ length: 20 }, () => 'd')
    mkdirSync(join(folder, ...deep), { recursive: true })
    expect(await findDiagnostics({ skills: folder })).toEqual([
      `bad-skill: skills: ${join(folder, ...deep.slice(0, 17))} exceeds the limit of 20000 entries or 16 levels. Give a folder that contains only skills.`,
    ])
  })

  it('cannot use a URI that is taken', async () => {
    class Taken {
      @McpResource('skill://one/SKILL.md')
      own(): string {
        return ''
      }
    }

    const diagnostics = await diagnosticsOf({ 'one/SKILL.md': skillText('one') }, { controllers: [Taken] })
    expect(diagnostics).toEqual([
      expect.stringMatching(
        /^duplicate-name: Resource 'skill:\/\/one\/SKILL\.md' is declared by both Taken\.own and .*SKILL\.md\. Rename one\.$/,
      ),
    ])
  })
})

describe('the size of skills', () => {
  const manyFiles = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`one/${index}.txt`, '']))

  it('is limited to 512 files', async () => {
    expect(await diagnosticsOf({ 'one/SKILL.md': skillText('one'), ...manyFiles(511) })).toEqual([])
    expect(await diagnosticsOf({ 'one/SKILL.md': skillText('one'), ...manyFiles(512) })).toEqual([
      `bad-skill: ${file} cannot be served: its skill has 513 files. The limit is 512. Correct it.`,
    ])
  })

  it('is limited to 16 MiB', async () => {
    const skill = skillText('one')
    const room = 16 * 1024 * 1024 - skill.length
    expect(await diagnosticsOf({ 'one/SKILL.md': skill, 'one/big': new Uint8Array(room) })).toEqual([])
    expect(await diagnosticsOf({ 'one/SKILL.md': skill, 'one/big': new Uint8Array(room + 1) })).toEqual([
      `bad-skill: ${file} cannot be served: its skill has 16777217 bytes. The limit is 16777216. Correct it.`,
    ])
  })

  it('is limited by the options, for all skills together', async () => {
    const two = { 'one/SKILL.md': skillText('one'), 'two/SKILL.md': skillText('two') }
    expect(await diagnosticsOf(two, { limits: { maxSkills: 2 } })).toEqual([])
    expect(await diagnosticsOf(two, { limits: { maxSkills: 1 } })).toEqual([
      'bad-skill: skills: there are more than 1. Raise limits.maxSkills.',
    ])
    expect(await diagnosticsOf(two, { limits: { maxSkillBytes: skillText('one').length } })).toEqual([
      'bad-skill: skills: skills-folder/two/SKILL.md cannot be served: all skills together have more than ' +
        `${skillText('one').length} bytes: raise limits.maxSkillBytes. Correct it.`,
    ])
  })
})
