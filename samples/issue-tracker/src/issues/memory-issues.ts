import type {
  Issue,
  IssueChanges,
  IssueFilter,
  IssuePage,
  Issues,
  NewIssue,
} from './issues.js'

/** Issues in memory, for tests. */
export class MemoryIssues implements Issues {
  readonly #issues = new Map<number, Issue>()
  #lastId = 0

  async add(issue: NewIssue): Promise<Issue> {
    const id = ++this.#lastId
    const added: Issue = {
      id,
      ...issue,
      status: 'open',
      createdAt: new Date().toISOString(),
    }
    this.#issues.set(id, added)
    return added
  }

  async find(id: number): Promise<Issue | null> {
    return this.#issues.get(id) ?? null
  }

  async list(
    filter: IssueFilter,
    { after = 0, limit }: IssuePage,
  ): Promise<readonly Issue[]> {
    return this.#matching(filter)
      .filter(({ id }) => id > after)
      .slice(0, limit)
  }

  async count(filter: IssueFilter): Promise<number> {
    return this.#matching(filter).length
  }

  async update(id: number, changes: IssueChanges): Promise<Issue | null> {
    const issue = this.#issues.get(id)
    if (issue === undefined) return null
    const changed = { ...issue, ...changes }
    this.#issues.set(id, changed)
    return changed
  }

  async remove(id: number): Promise<boolean> {
    return this.#issues.delete(id)
  }

  async labels(): Promise<readonly string[]> {
    return [
      ...new Set([...this.#issues.values()].map(({ label }) => label)),
    ].toSorted()
  }

  close(): void {
    this.#issues.clear()
  }

  #matching({ status, label }: IssueFilter): Issue[] {
    return [...this.#issues.values()].filter(
      (issue) =>
        (status === undefined || issue.status === status) &&
        (label === undefined || issue.label === label),
    )
  }
}
