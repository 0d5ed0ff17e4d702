#!/usr/bin/env node
// Not in dist/, because in a clone, pnpm links it before the first build. The packed package runs the bundle.
import '#program'
