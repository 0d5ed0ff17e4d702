import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import type {
  Issue,
  IssueChanges,
  IssueFilter,
  IssuePage,
  Issues,
  NewIssue,
} from './issues.js'

const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA busy_timeout = 5000;
  CREATE TABLE IF NOT EXISTS issues (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    label TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'closed')),
    author TEXT NOT NULL,
    createdAt TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ'))
  ) STRICT;
  CREATE INDEX IF NOT EXISTS issues_by_label ON issues (label, status);
`

const matching =
  '(:status IS NULL OR status = :status) AND (:label IS NULL OR label = :label)'

/** Stores issues in a SQLite file, which several processes can share. */
export class SqliteIssues implements Issues {
  readonly #database: DatabaseSync

  /** @param file `:memory:` for a database that ends with the process. */
  constructor(file: string) {
    this.#database = new DatabaseSync(file)
    this.#database.exec(schema)
  }

  async add({ title, body, label, author }: NewIssue): Promise<Issue> {
    const sql =
      'INSERT INTO issues (title, body, label, author) VALUES (:title, :body, :label, :author) RETURNING *'
    return this.#first(sql, { title, body, label, author }) as Issue
  }

  async find(id: number): Promise<Issue | null> {
    return this.#first('SELECT * FROM issues WHERE id = :id', { id })
  }

  async list(
    filter: IssueFilter,
    { after = 0, limit }: IssuePage,
  ): Promise<readonly Issue[]> {
    const sql = `SELECT * FROM issues WHERE id > :after AND ${matching} ORDER BY id LIMIT :limit`
    return this.#all(sql, {
      ...parametersOf(filter),
      after,
      limit,
    }) as unknown as Issue[]
  }

  async count(filter: IssueFilter): Promise<number> {
    const [row] = this.#all(
      `SELECT count(*) AS count FROM issues WHERE ${matching}`,
      parametersOf(filter),
    )
    return Number(row?.['count'])
  }

  async update(
    id: number,
    { title, body, label, status }: IssueChanges,
  ): Promise<Issue | null> {
    const sql = `UPDATE issues SET title = coalesce(:title, title), body = coalesce(:body, body),
      label = coalesce(:label, label), status = coalesce(:status, status) WHERE id = :id RETURNING *`
    const changes = {
      title: title ?? null,
      body: body ?? null,
      label: label ?? null,
      status: status ?? null,
    }
    return this.#first(sql, { id, ...changes })
  }

  async remove(id: number): Promise<boolean> {
    return (
      this.#first('DELETE FROM issues WHERE id = :id RETURNING *', { id }) !==
      null
    )
  }

  async labels(): Promise<readonly string[]> {
    return this.#all(
      'SELECT DISTINCT label FROM issues ORDER BY label',
      {},
    ).map(({ label }) => String(label))
  }

  close(): void {
    this.#database.close()
  }

  #all(sql: string, parameters: Record<string, SQLInputValue>) {
    // Copies the rows, which have no prototype, so that tests can compare them
    // with other objects.
    return this.#database
      .prepare(sql)
      .all(parameters)
      .map((row) => ({ ...row }))
  }

  #first(sql: string, parameters: Record<string, SQLInputValue>): Issue | null {
    const [row] = this.#all(sql, parameters)
    return row === undefined ? null : (row as unknown as Issue)
  }
}

function parametersOf({
  status,
  label,
}: IssueFilter): Record<string, SQLInputValue> {
  return { status: status ?? null, label: label ?? null }
}
