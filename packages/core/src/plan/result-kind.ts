/**
 * Kind of a tool's return value: data whose JSON is the text of the result, a string, nothing, or content blocks. The
 * content alone does not show it: the text `5` may be a number or a string.
 */
export type ResultKind = 'json' | 'text' | 'none' | 'content'

/**
 * Member of `_meta`. In a request with the value `true`, it asks for the kind of the result, which is the value in the
 * `_meta` of the result.
 */
export const resultKindKey = 'toolwright/resultKind'
