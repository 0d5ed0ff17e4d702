import { type XmcpConfig } from 'xmcp'

export default { stdio: { silent: true } } satisfies XmcpConfig
