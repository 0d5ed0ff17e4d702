export type IssueStatus = 'open' | 'closed'

export interface Issue {
  readonly id: number
  readonly title: string
  readonly body: string
  readonly label: string
  readonly status: IssueStatus
  /** Subject of the token that created the issue. */
  readonly author: string
  /** ISO 8601, in UTC. */
  readonly createdAt: string
}

export type NewIssue = Pick<Issue, 'title' | 'body' | 'label' | 'author'>

export type IssueChanges = Partial<
  Pick<Issue, 'title' | 'body' | 'label' | 'status'>
>

export interface IssueFilter {
  readonly status?: IssueStatus | undefined
  readonly label?: string | undefined
}

export interface IssuePage {
  /** Only issues with a greater id are returned. Default: 0. */
  readonly after?: number | undefined
  readonly limit: number
}

/**
 * Stores issues. The methods are asynchronous, so that a database on another
 * machine can take the place of SQLite.
 */
export interface Issues {
  add(issue: NewIssue): Promise<Issue>
  find(id: number): Promise<Issue | null>
  /** Lists issues in the order of their ids. */
  list(filter: IssueFilter, page: IssuePage): Promise<readonly Issue[]>
  count(filter: IssueFilter): Promise<number>
  /** @returns The changed issue, or `null` if it does not exist. */
  update(id: number, changes: IssueChanges): Promise<Issue | null>
  /** @returns Whether the issue existed. Its id is not used again. */
  remove(id: number): Promise<boolean>
  /** All labels in use, sorted. */
  labels(): Promise<readonly string[]>
  close(): void
}

/**
 * Token of the {@link Issues} in the container: an interface does not exist at
 * run time.
 */
export const issuesToken = Symbol('Issues')
