import { readFileSync } from 'node:fs'
import { connectRedis } from '@toolwright/redis'

const f = (n) => readFileSync('/tmp/sent/tls/' + n, 'utf8')
const logger = { info() {}, error() {}, warn() {} }
const t = async (n, o) =>
  console.log(
    n,
    await connectRedis({ logger, timeoutMs: 3000, url: 'rediss://127.0.0.1:17003', ...o }).then(
      (r) => (r.close(), 'connected'),
      (e) => e.message.split('\n')[1],
    ),
  )
await t('good', { tls: { ca: f('s.crt'), cert: f('s.crt'), key: f('s.key') } })
await t('wrong ca', { tls: { ca: f('other.crt'), cert: f('s.crt'), key: f('s.key') } })
await t('no ca', { tls: { cert: f('s.crt'), key: f('s.key') } })
await t('no tls', {})
await t('no client cert', { tls: { ca: f('s.crt') } })
await t('no client cert 1.2', { tls: { ca: f('s.crt'), maxVersion: 'TLSv1.2' } })
await t('other client cert', { tls: { ca: f('s.crt'), cert: f('other.crt'), key: f('other.key') } })
await t('other client cert 1.2', {
  tls: { ca: f('s.crt'), cert: f('other.crt'), key: f('other.key'), maxVersion: 'TLSv1.2' },
})
await t('wrong name', { tls: { ca: f('s.crt'), cert: f('s.crt'), key: f('s.key'), servername: 'redis.example' } })
await t('plain to tls', { url: 'redis://127.0.0.1:17003' })
await t('tls to plain', { url: 'rediss://127.0.0.1:17004' })
