// The one place that imports TypeBox, so that a build can replace it by a bundle: its 700 modules dominate start-up.
export { type Static, type TObject, type TSchema, type TUnsafe, Type } from 'typebox'
export { Compile } from 'typebox/compile'
export { Format } from 'typebox/format'
