/** Characters of code in a line that a cell of a table shows without a break. */
const maxLength = 28

/** Plugin of markdown-it. Marks long code, which may be broken anywhere: it would make a table too wide. */
export function markLongCode(markdown) {
  const render = markdown.renderer.rules.code_inline
  markdown.renderer.rules.code_inline = (tokens, index, ...rest) => {
    const token = tokens[index]
    if (token.content.length > maxLength) token.attrJoin('class', 'long')
    return render(tokens, index, ...rest)
  }
}
