import type { Client } from './client.js'
import { claudeCode } from './clients/claude-code.js'
import { claudeDesktop } from './clients/claude-desktop.js'
import { codex } from './clients/codex.js'
import { cursor } from './clients/cursor.js'
import { geminiCli } from './clients/gemini-cli.js'
import { vscode } from './clients/vscode.js'
import { windsurf } from './clients/windsurf.js'

/** All clients, in the order of prompts and help texts. */
export const clients: readonly Client[] = [claudeCode, claudeDesktop, cursor, vscode, codex, geminiCli, windsurf]
