/** How much of the document is listed for each tool. */
export interface Detail {
  readonly descriptionLength: number
  readonly parameterLength: number
  /** Characters of the schema of an answer. A longer schema is not listed. */
  readonly outputLength: number
  /** Schemas that the schema of an answer can consist of. */
  readonly outputSchemas: number
}

const full: Detail = { descriptionLength: 1024, parameterLength: 300, outputLength: 4096, outputSchemas: 240 }
const short: Detail = { descriptionLength: 400, parameterLength: 140, outputLength: 512, outputSchemas: 30 }
const maxFull = 200

/** Lists of many tools have shorter descriptions, because clients and models load the whole list. */
export function detailFor(tools: number): Detail {
  return tools > maxFull ? short : full
}
