export const tasksId = 'io.modelcontextprotocol/tasks'
