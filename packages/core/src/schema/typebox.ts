// The one place that imports TypeBox, whose 700 modules dominate start-up: a packed core holds them in one file.
export { type Static, type TObject, type TSchema, type TUnsafe, Type } from 'typebox'
export { Compile } from 'typebox/compile'
export { Format } from 'typebox/format'
