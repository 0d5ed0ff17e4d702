import type { InjectionToken, Lifecycle } from './tsyringe.js'

/** The registration of a token in tsyringe, which has no public API for it: its version is pinned. */
export interface Registration {
  readonly provider: {
    readonly useValue?: unknown
    readonly useClass?: unknown
    readonly useToken?: InjectionToken
    readonly useFactory?: unknown
  }
  readonly options: { readonly lifecycle: Lifecycle }
}
