// In a file of its own: some bundlers put the CommonJS that a file imports behind the ES modules that it imports.
import 'reflect-metadata'
