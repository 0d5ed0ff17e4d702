export { CommandError, exitCodes, reportErrors, safeText, usageError } from 'create-toolwright/command-error'
