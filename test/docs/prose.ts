import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { markdownFiles, root } from './markdown.js'

export interface Sentence {
  /** Relative to the root. */
  readonly file: string
  /** Line on which the sentence begins, from 1. */
  readonly line: number
  readonly text: string
}

/** A piece of prose that still has its line breaks: a comment, a title, a paragraph, a cell of a table. */
type Piece = Pick<Sentence, 'line' | 'text'>

const codeFolders = ['packages', 'samples', 'test', 'benchmarks', 'scripts', 'docs']
const generatedFolders = new Set(['node_modules', 'dist', 'bundle', 'coverage', 'cache', '.temp'])

export function readSentences(): readonly Sentence[] {
  const code = codeFolders.flatMap(codeFilesBelow).map((file) => sentencesIn(file, piecesOfCode))
  const pages = markdownFiles().filter((file) => file !== 'CHANGELOG.md')
  return [...code, ...pages.map((file) => sentencesIn(file, piecesOfPage))].flat()
}

function codeFilesBelow(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return generatedFolders.has(entry.name) ? [] : codeFilesBelow(path)
    return /\.[cm]?[jt]s$/.test(path) ? [path] : []
  })
}

function sentencesIn(file: string, piecesOf: (text: string) => readonly Piece[]): readonly Sentence[] {
  return splitAll(piecesOf(readFileSync(join(root, file), 'utf8'))).map((sentence) => ({ file, ...sentence }))
}

/** Comments, and strings that are followed by a function, as titles of tests are. */
export function piecesOfCode(text: string): readonly Piece[] {
  const title = /\(\s*(['"`])((?:\\.|(?!\1)[^\\])+)\1,\s*(?:async )?(?:\(|function|\w+ =>)/g
  const titles = [...text.matchAll(title)].map(({ index, 0: call, 2: words = '' }) => ({
    line: lineAt(text, index + call.indexOf(words)),
    text: words,
  }))
  return [...commentsIn(text), ...titles]
}

function commentsIn(text: string): readonly Piece[] {
  const blocks = [...text.matchAll(/^[ \t]*\/\*[\s\S]*?\*\//gm)]
  const lines = [...text.matchAll(/^[ \t]*\/\/.*(?:\n[ \t]*\/\/.*)*|(?<=\S) \/\/ .*/gm)]
  return [...blocks, ...lines].map(({ index, 0: comment }) => ({
    line: lineAt(text, index),
    text: comment.replace(/^[ \t]*(?:\/\/|\/?\*+\/?)|\*\/$/gm, ''),
  }))
}

/** Headings, paragraphs, items of lists and cells of tables. Fenced blocks and comments are blanked. */
export function piecesOfPage(page: string): readonly Piece[] {
  const text = page.replace(/^```[\s\S]*?^```|<!--[\s\S]*?-->/gm, (block) => block.replace(/[^\n]/g, ''))
  const pieces = text.matchAll(/^(?:#+ .*|\|.*|(?:(?!#+ |\|).*\S.*(?:\n(?![ \t]*(?:[-*]|\d+\.) |#+ |\|)|$))+)/gm)
  return [...pieces].flatMap(({ index, 0: piece }) => {
    const cells = piece.startsWith('|') ? piece.split('|') : [piece.replace(/^[ \t]*(?:#+|[-*>]|\d+\.) /, '')]
    return cells.map((cell) => ({ line: lineAt(text, index), text: cell.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1') }))
  })
}

export function splitAll(pieces: readonly Piece[]): readonly Piece[] {
  return pieces.flatMap(split).filter(({ text }) => /\w|`/.test(text))
}

/** Ends of sentences are a mark and a capital, a tag of a docstring, and an empty line. Code in backticks is left out. */
function split(piece: Piece): readonly Piece[] {
  const text = piece.text.replaceAll(/`[^`]*`/g, (code) => `\`${'\n'.repeat(code.split('\n').length - 1)}\``)
  const end =
    /(?<=[.!?]["')*_]*)\s+(?=["'(*_]*[A-Z`])|\s@(?:param|property|typedef)(?: \{.*?\})? \S+|\s@[\w-]+(?: --|:)?|\n\s*\n/g
  const starts = [...text.matchAll(end)].map(({ index, 0: mark }) => ({ index, start: index + mark.length }))
  return [{ index: 0, start: 0 }, ...starts].map(({ start }, count) => {
    const sentence = text.slice(start, starts[count]?.index)
    const blank = sentence.length - sentence.trimStart().length
    return { line: piece.line + lineAt(text, start + blank) - 1, text: sentence.replaceAll(/\s+/g, ' ').trim() }
  })
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

const relative = /^["'(*_]*(?:(?:of|that|for|with|in|to|from|by|as) )?(?:what|who|whom|whose|where|which)(?:ever)?\b/i

const ruledOut =
  /\b(?:(?:no|some|any|every)body|(?:who|what|which|wher)ever|(?:is|are|was|were) told|(?:is|are) none|be it|lets? (?:\w+ )?(?:in|go)|h(?:o|e)lds? up|goes without saying|of (?:its|their) own)\b/i

/** The fix for a sentence that breaks a rule, or `null`. A single word is a label, and a question may begin with "Which". */
export function faultOf(sentence: string): string | null {
  if (!/\s/.test(sentence)) return null
  const word = ruledOut.exec(sentence)?.[0]
  if (word !== undefined) return `replace '${word}' by a concrete subject or verb`
  const clause = /\?["')*_]*$/.test(sentence) ? undefined : relative.exec(sentence)?.[0]
  return clause === undefined ? null : `begin with a noun, a verb or "Whether" instead of '${clause}'`
}
