// Imported from a separate file: some bundlers put the CommonJS that a file imports behind the ES modules that it imports.
import 'reflect-metadata'
