// Compiled with the other tests and never run: a host accepts the options of `Fastify`.
import { createHost, type HostOptions } from 'toolwright'

const served = { name: 'types', version: '1', controllers: [] } satisfies HostOptions
const pem = { key: '', cert: '' }

await createHost({ ...served, fastify: { https: pem } })
await createHost({ ...served, fastify: { http2: true, http2SessionTimeout: 1000 } })
await createHost({ ...served, fastify: { http2: true, https: { ...pem, allowHTTP1: true } } })
await createHost({ ...served, fastify: { http: { maxHeaderSize: 9000 }, trustProxy: ['loopback'] } })
// @ts-expect-error An unknown option.
await createHost({ ...served, fastify: { tls: pem } })
