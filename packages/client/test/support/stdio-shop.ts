// A program: the shop over stdio.
import { serveStdio } from '@toolwright/core/stdio'
import { createShop } from './shop-tools.js'

await serveStdio(await createShop())
