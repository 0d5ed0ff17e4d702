/**
 * Kind of a tool's return value: `json` is data, whose JSON is the text of the result; `text` is a string; `none` is no value;
 * `content` is content blocks. The content alone does not show the kind: the text `5` can be a number or a string.
 */
export type ResultKind = 'json' | 'text' | 'none' | 'content'

/** Member of `_meta`. In a request, the value `true` asks for the kind of the result. In the result, the value is the kind. */
export const resultKindKey = 'toolwright/resultKind'
