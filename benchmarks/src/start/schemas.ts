import { createRealisticSchemas } from '../realistic-schemas.js'
import { serveSchemas } from '../serve-schemas.js'

await serveSchemas(createRealisticSchemas(118))
