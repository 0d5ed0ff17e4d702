import {
  Catalog,
  delay,
  container as globalContainer,
  Inject,
  injectable,
  Lifecycle,
  McpTool,
  singleton,
  Type,
} from '@toolwright/core'
import { type ServerOptions } from '@toolwright/server'
import { connect } from '@toolwright/testing'

/** Stands in for the class of `node:sqlite`, which not all versions of Node have. */
class DatabaseSync {
  readonly titles: string[] = []
}

@singleton()
class IssueRepository {
  constructor(readonly db: DatabaseSync) {}

  add(title: string): void {
    this.db.titles.push(title)
  }

  list(): string {
    return this.db.titles.join()
  }
}

/** Injects the database through a transient class. */
@injectable()
class Issues {
  constructor(readonly repository: IssueRepository) {}
}

@singleton()
class Tracker {
  constructor(readonly issues: Issues) {}
}

@singleton()
class LateTracker {
  constructor(@Inject(delay(() => IssueRepository)) readonly repository: Pick<IssueRepository, 'add' | 'list'>) {}
}

@injectable()
class IssueTools {
  constructor(
    readonly repository: IssueRepository,
    readonly tracker: Tracker,
    readonly late: LateTracker,
    @Inject('repository') readonly aliased: IssueRepository,
    @Inject('kept repository') readonly kept: IssueRepository,
  ) {}

  @McpTool({ input: Type.Object({ title: Type.String() }) })
  add({ title }: { title: string }, @Inject('repository') repository: IssueRepository): string {
    repository.add(title)
    return 'added'
  }

  @McpTool()
  list(@Inject('repository') repository: IssueRepository, kept: Tracker): string {
    const { tracker, late, aliased } = this
    const all = [this.repository, tracker.issues.repository, late.repository, aliased, this.kept, repository]
    return [...new Set([...all, kept.issues.repository].map((each) => each.list()))].join(' / ')
  }
}

globalContainer.register('repository', { useToken: IssueRepository })
globalContainer.register('kept repository', { useToken: IssueRepository }, { lifecycle: Lifecycle.Singleton })

const open = (container: ServerOptions['container'], controllers: ServerOptions['controllers'] = [IssueTools]) =>
  connect({ name: 'issues', version: '1.0.0', controllers, container: container as never })

type Connection = Awaited<ReturnType<typeof open>>

async function call({ client }: Connection, name: string, args = {}): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args })
  return (content as readonly { readonly text: string }[]).map(({ text }) => text).join()
}

function childWithDatabase(parent = globalContainer) {
  const child = parent.createChildContainer()
  child.registerInstance(DatabaseSync, new DatabaseSync())
  return child
}

describe('a singleton that depends on a registration of a child container', () => {
  test('is created for each of two containers with separate databases', async () => {
    const [first, second] = [childWithDatabase(), childWithDatabase()]
    await using one = await open(first)
    await using other = await open(second)
    await call(one, 'add', { title: 'broken' })

    expect(await call(one, 'list')).toBe('broken')
    expect(await call(other, 'list')).toBe('')
    expect(first.resolve(IssueRepository)).not.toBe(second.resolve(IssueRepository))
  })

  test('is shared by servers of one container, even if one server has a child container', async () => {
    const shared = childWithDatabase()
    await using one = await open(shared)
    await using other = await open(shared.createChildContainer())
    await using third = await open(childWithDatabase(shared))
    await call(one, 'add', { title: 'shared' })

    expect(await call(other, 'list')).toBe('shared')
    expect(await call(third, 'list')).toBe('')
  })
})

describe('a singleton without such a dependency', () => {
  @singleton()
  class Counter {
    count = 0
  }

  class CountTools {
    @McpTool()
    count(counter: Counter): string {
      return `${++counter.count}`
    }
  }

  test('is shared by servers with separate containers', async () => {
    await using one = await open(childWithDatabase(), [CountTools])
    await using other = await open(childWithDatabase(), [CountTools])

    expect([await call(one, 'count'), await call(other, 'count')]).toEqual(['1', '2'])
  })
})

describe('an alias of a singleton that is injected with the catalog', () => {
  @singleton()
  class Features {
    constructor(readonly catalog: Catalog) {}
  }

  class FeatureTools {
    @McpTool()
    same(@Inject('features') features: Features, own: Features, catalog: Catalog): string {
      return `${features === own} ${features.catalog === catalog}`
    }
  }

  test('resolves to the singleton of the server', async () => {
    const container = globalContainer.createChildContainer().register('features', { useToken: Features })
    await using one = await open(container, [FeatureTools])
    await using other = await open(container, [FeatureTools])

    expect([await call(one, 'same'), await call(other, 'same')]).toEqual(['true true', 'true true'])
  })
})
