import { gateway } from '@toolwright/gateway'
import { serve } from 'toolwright'

await serve(await gateway({ scan: new URL('./tools', import.meta.url) }))
