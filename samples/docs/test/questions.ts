/** A question in the words of a user, and the page of the documentation that answers it. */
export interface Question {
  readonly question: string
  readonly page: string
}

/** Written before the search existed, and not changed to suit it. */
export const questions: readonly Question[] = [
  { question: 'How can a tool ask the user for a missing value in the middle of a call?', page: 'how-to/ask-the-user' },
  { question: 'My tool does not show up in the list. Why?', page: 'how-to/troubleshoot' },
  { question: 'How do I accept only access tokens of our identity provider?', page: 'how-to/authenticate-callers' },
  { question: 'Only admins may call one tool, and others should not even see it', page: 'how-to/authorize-callers' },
  { question: 'Run three replicas behind a load balancer with shared sessions', page: 'how-to/scale-out' },
  { question: 'Return an image together with structured data', page: 'how-to/return-results' },
  { question: 'nginx buffers the event stream, which settings does it need?', page: 'how-to/deploy-behind-a-proxy' },
  { question: 'How do I write a Jest test for a tool?', page: 'how-to/test-a-server' },
  {
    question: 'A job takes ten minutes. How does the client poll for its result?',
    page: 'how-to/run-long-work-as-a-task',
  },
  { question: 'Port a Python FastMCP server', page: 'how-to/come-from-fastmcp' },
  { question: 'Allow each caller a hundred calls per minute', page: 'how-to/limit-load' },
  { question: 'Export latency of tools to Prometheus and Grafana', page: 'how-to/measure-and-trace' },
  { question: 'How do I get the database connection into my controller class?', page: 'how-to/inject-services' },
  { question: 'What does the JSON-RPC error code -32602 mean?', page: 'reference/errors' },
  { question: 'Pass the tools to OpenAI function calling', page: 'how-to/format-for-llms' },
  { question: 'Call my tools from a LangChain agent', page: 'how-to/use-tools-in-an-agent' },
  { question: 'Add my server to Claude Desktop and Cursor', page: 'how-to/connect-clients' },
  { question: 'Which versions of the MCP specification are supported?', page: 'reference/protocol-support' },
  { question: 'Register a new tool while the server is running', page: 'how-to/change-the-catalog' },
  { question: 'Show an HTML chart inside of the chat', page: 'how-to/show-an-app' },
  { question: 'How does a client resume a stream after it lost the connection?', page: 'reference/event-streams' },
]
