/**
 * Kind of a tool's return value: data whose JSON is the text of the result, a string, nothing, or content blocks. The
 * content alone does not show it: the text `5` may be a number or a string.
 */
export type ResultKind = 'json' | 'text' | 'none' | 'content'

/**
 * Member of `_meta`. With the value `true` in a request, it asks for the kind of the result. In the result, its value is
 * the kind.
 */
export const resultKindKey = 'toolwright/resultKind'
