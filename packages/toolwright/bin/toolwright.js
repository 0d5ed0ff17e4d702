#!/usr/bin/env node
// Not in dist/: in a clone pnpm links it before anything is built.
import '../dist/command.js'
