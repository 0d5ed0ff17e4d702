export const skillsExtension = 'io.modelcontextprotocol/skills'
