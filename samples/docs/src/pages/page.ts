/** A part of a page, from a heading to the next one. */
export interface Section {
  /** The title of the page, for the text before the second heading. */
  readonly heading: string
  /** Markdown, with the heading. */
  readonly text: string
}

/** A Markdown file with a heading. */
export interface Page {
  /** Relative to the folder, without the suffix: `guides/install`. */
  readonly path: string
  readonly title: string
  /** First paragraph, without marks of Markdown. */
  readonly description: string
  /** Markdown of the whole page. */
  readonly text: string
  readonly sections: readonly Section[]
}
