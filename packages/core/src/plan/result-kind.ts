/**
 * Kind of a tool's return value: data whose JSON is the text of the result, a string, nothing, or content blocks. The content
 * alone does not show the kind: the text `5` may be a number or a string.
 */
export type ResultKind = 'json' | 'text' | 'none' | 'content'

/** Member of `_meta`. In a request, the value `true` asks for the kind of the result. In the result, the value is the kind. */
export const resultKindKey = 'toolwright/resultKind'
