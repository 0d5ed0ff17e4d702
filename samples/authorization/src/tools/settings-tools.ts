import {
  AllowAnonymous,
  Authorize,
  injectable,
  McpTool,
  type Static,
  Type,
} from 'toolwright'
import { Directory } from '../directory.js'

const SettingsInput = Type.Object({
  theme: Type.Union([Type.Literal('light'), Type.Literal('dark')], {
    description: 'Theme of all pages',
  }),
})

@injectable()
export class SettingsTools {
  constructor(private readonly directory: Directory) {}

  @McpTool({
    title: 'Update settings',
    description: 'Changes the settings for all users',
    input: SettingsInput,
  })
  @Authorize({ roles: ['Admin'], scopes: ['tools:write'] })
  updateSettings({ theme }: Static<typeof SettingsInput>): string {
    this.directory.theme = theme
    return `The theme is ${theme} now.`
  }

  @McpTool({
    title: 'Public information',
    description: 'Returns the public information',
    annotations: { readOnlyHint: true },
  })
  @AllowAnonymous()
  getPublicInfo(): string {
    return `The directory has ${this.directory.users.length} users, and its theme is ${this.directory.theme}.`
  }
}
