/** Severities of log messages to clients, least severe first. Spec: server/utilities/logging (RFC 5424 levels). */
const loggingLevels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const

export type LoggingLevel = (typeof loggingLevels)[number]

export function isLoggingLevel(value: unknown): value is LoggingLevel {
  return loggingLevels.includes(value as LoggingLevel)
}

export function isAtLeast(level: LoggingLevel, threshold: LoggingLevel): boolean {
  return loggingLevels.indexOf(level) >= loggingLevels.indexOf(threshold)
}
