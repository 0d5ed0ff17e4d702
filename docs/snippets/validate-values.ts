import {
  compileJsonSchema,
  compileStandard,
  compileTypeBox,
  describeErrors,
  parseValue,
  Type,
} from '@toolwright/schema'
import { z } from 'zod'

// #region compile
const schemas = {
  Zod: compileStandard(z.object({ city: z.string(), days: z.int().max(14) })),
  TypeBox: compileTypeBox(
    Type.Object({ city: Type.String(), days: Type.Integer({ maximum: 14 }) }),
  ),
  'JSON Schema': compileJsonSchema({
    type: 'object',
    properties: { city: { type: 'string' }, days: { maximum: 14, default: 3 } },
    required: ['city'],
  }),
}

for (const [name, schema] of Object.entries(schemas)) {
  const value = { days: 30 }
  const { errors = [] } = await parseValue(schema, value)
  console.log(`${name}: ${describeErrors(errors, value, 'the value')}`)
}
// #endregion
