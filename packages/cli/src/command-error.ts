export { CommandError, exitCodes, reportErrors, usageError } from 'create-toolwright/command-error'
