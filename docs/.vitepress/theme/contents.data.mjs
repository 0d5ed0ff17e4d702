import { readContents } from '../contents.mjs'

/** The table of contents, for the home page. */
export default {
  watch: ['../../index.md'],
  load: () => readContents(),
}
