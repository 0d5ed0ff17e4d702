import { loadConfig, serve, Type } from 'toolwright'

const { PAGE_SIZE } = loadConfig(
  Type.Object({ PAGE_SIZE: Type.Optional(Type.Integer({ minimum: 1 })) }),
)

await serve({
  name: 'everything',
  version: '1.0.0',
  title: 'Everything',
  description: 'Every feature of the protocol, for tests of clients',
  scan: ['./tools/', './resources/', './prompts/'].map(
    (folder) => new URL(folder, import.meta.url),
  ),
  skills: new URL('../skills/', import.meta.url),
  streamAnswers: true,
  ...(PAGE_SIZE === undefined ? {} : { pageSize: PAGE_SIZE }),
})
