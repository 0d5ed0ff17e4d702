// #region proofs
import { connectRedis } from '@toolwright/redis'
import { createHost, type HostOptions, jwtBearer } from 'toolwright'

export async function createBound(url: string, options: HostOptions) {
  const redis = await connectRedis({ url, prefix: `${options.name}:` })
  const authentication = jwtBearer({
    issuer: 'https://login.example.com',
    audience: 'https://mcp.example.com/mcp',
    dpop: { required: true, proofStore: redis.proofStore },
  })
  return createHost({ ...options, authentication, onClose: () => redis.close() })
}
// #endregion
