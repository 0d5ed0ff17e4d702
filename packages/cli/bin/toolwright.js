#!/usr/bin/env node
// Not in dist/, because in a clone, pnpm links it before the first build.
import '../dist/main.js'
