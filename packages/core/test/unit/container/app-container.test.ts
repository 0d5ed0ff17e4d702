import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppContainer } from '../../../src/container/app-container.js'
import {
  type DependencyContainer,
  globalContainer,
  type InjectionToken,
  injectable,
  Lifecycle,
} from '../../../src/container/tsyringe.js'

class Plain {}

class Disposable {
  dispose(): void {}
}

@injectable()
class Scoped {}

function containerOf(registrations: number): DependencyContainer {
  const container = globalContainer.createChildContainer()
  for (let index = 0; index < registrations; index++) container.register(`token ${index}`, { useValue: index })
  container.register(Plain, { useClass: Plain }, { lifecycle: Lifecycle.Singleton })
  return container.register(Scoped, { useClass: Scoped }, { lifecycle: Lifecycle.ContainerScoped })
}

describe('undocumented members of tsyringe', () => {
  // Before changing the version, run these tests and read their comments about the container.
  it('belong to a pinned version', () => {
    const { dependencies } = readJson('package.json') as { readonly dependencies: Readonly<Record<string, string>> }
    const { version } = readJson('node_modules/tsyringe/package.json') as { readonly version: string }

    expect(dependencies['tsyringe']).toBe('4.10.0')
    expect(version).toBe('4.10.0')
  })

  it('register a token', () => {
    const container = containerOf(1) as unknown as { getRegistration(token: InjectionToken): unknown }

    expect(container.getRegistration('token 0')).toMatchObject({
      provider: { useValue: 0 },
      options: { lifecycle: Lifecycle.Transient },
    })
    expect(container.getRegistration(Plain)).toMatchObject({
      provider: { useClass: Plain },
      options: { lifecycle: Lifecycle.Singleton },
    })
    expect(container.getRegistration(Scoped)).toMatchObject({
      provider: { useClass: Scoped },
      options: { lifecycle: Lifecycle.ContainerScoped },
    })
    expect(container.getRegistration('unknown')).toBeNull()
  })

  it('list the disposable instances of a container', () => {
    const container = containerOf(0)
    container.resolve(Plain)
    const instance = container.resolve(Disposable)

    expect(container).toHaveProperty('disposables', new Set([instance]))
  })

  it('list the registrations of a parent container', () => {
    expect(tokensOf(containerOf(1))).toEqual(['token 0', Plain, Scoped])
    expect(tokensOf(containerOf(1).createChildContainer())).toEqual([Scoped])
  })
})

describe('AppContainer', () => {
  it('creates scopes from a container with scoped registrations only, so that they are cheap', () => {
    const app = new AppContainer(containerOf(1000))
    const { container } = app.openScope() as unknown as { readonly container: { readonly parent: DependencyContainer } }

    expect(tokensOf(container.parent)).toEqual([Scoped])
  })

  it('disposes a scope without disposable instances synchronously', async () => {
    const scope = new AppContainer(containerOf(0)).openScope()
    scope.resolve(Plain)
    scope.resolve(Scoped)
    expect(scope.dispose()).toBeUndefined()

    scope.resolve(Disposable)
    await expect(scope.dispose()).resolves.toBeUndefined()
    expect(scope.dispose()).toBeUndefined()
  })

  it('throws when resolving from a disposed scope or a closed container', async () => {
    const app = new AppContainer(containerOf(0))
    const scope = app.openScope()
    scope.resolve(Disposable)
    await scope.dispose()
    await app.close()

    expect(() => scope.resolve(Plain)).toThrow('This container has been disposed')
    expect(() => app.openScope()).toThrow('This container has been disposed')
  })
})

function tokensOf(container: DependencyContainer): readonly unknown[] {
  const { _registry: registry } = container as unknown as {
    readonly _registry: { entries(): Iterable<readonly [unknown, unknown]> }
  }
  return [...registry.entries()].map(([token]) => token)
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(join(__dirname, '../../..', file), 'utf8'))
}
