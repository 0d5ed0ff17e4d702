// #region fixed
import { McpResource, ResourceNotFoundError, Type } from 'toolwright'

export class LibraryResources {
  @McpResource('library://opening-hours', {
    title: 'Opening Hours',
    description: 'When the library is open',
  })
  openingHours(): string {
    return 'Monday to Friday, 9 to 17'
  }
}
// #endregion

const shelves = new Map([['7', ['Emma', 'Persuasion']]])

export class FeatureRegistries {
  // #region template
  @McpResource('library://shelves/{shelf}', {
    description: 'The books on a shelf',
  })
  booksOn({ shelf }: { shelf: string }): string[] | undefined {
    return shelves.get(shelf)
  }
  // #endregion

  // #region typed
  @McpResource('library://pages/{page}', {
    input: Type.Object({ page: Type.Integer({ minimum: 1 }) }),
  })
  readPage({ page }: { page: number }): Uint8Array {
    if (page > 300) throw new ResourceNotFoundError(`library://pages/${page}`)
    return new Uint8Array([page % 256])
  }
  // #endregion
}
