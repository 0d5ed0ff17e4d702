// This is a separate file, because some bundlers move the CommonJS imports of a file behind its ES module imports.
import 'reflect-metadata'
