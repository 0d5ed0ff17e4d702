// A program: the shop over stdio.
import { serveStdio } from '@toolwright/server/stdio'
import { createShop } from './shop-tools.js'

await serveStdio(await createShop())
