import type { InjectionToken, Lifecycle } from './tsyringe.js'

/** The registration that tsyringe keeps for a token. It has no public call for this: its version is pinned. */
export interface Registration {
  readonly provider: {
    readonly useValue?: unknown
    readonly useClass?: unknown
    readonly useToken?: InjectionToken
    readonly useFactory?: unknown
  }
  readonly options: { readonly lifecycle: Lifecycle }
}
