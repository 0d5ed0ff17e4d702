import { UnfitResult } from '../errors/call-errors.js'

/** JSON text of what a handler returned. @throws UnfitResult for what JSON cannot express. */
export function toJson(value: unknown): string {
  const json = JSON.stringify(value) as string | undefined
  if (json === undefined) throw new UnfitResult(`The result is ${typeof value}, which JSON cannot express`)
  return json
}

/** What a handler returned as plain data: getters read once, `toJSON` applied. */
export function toPlain(value: unknown): unknown {
  return JSON.parse(toJson(value))
}
