import { emailSchema } from '../realistic-schemas.js'
import { serveSchemas } from '../serve-schemas.js'

await serveSchemas([emailSchema])
