/** The style sheet of the page. Both color schemes have a contrast of at least 4.5 to 1. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --page: #faf9f7; --card: #fff; --line: #e6e2dd; --text: #2b2825; --soft: #5f5952; --accent: #a03c08; --code: #f3efea;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #191817; --card: #211f1e; --line: #34312e; --text: #e8e4df; --soft: #b0a9a1; --accent: #f5a172; --code: #2a2725;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--text); overflow-wrap: anywhere;
  font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Open Sans', 'DejaVu Sans', sans-serif;
}
main { max-width: 44rem; margin: 0 auto; padding: 3.5rem 1.25rem; }
code, pre { font: 0.8125rem/1.5 ui-monospace, 'SF Mono', 'Cascadia Code', Menlo, Consolas, 'DejaVu Sans Mono', monospace; }
h1, h2, p, ul, pre { margin: 0; padding: 0; }
h1 { font-size: 2rem; line-height: 1.2; letter-spacing: -0.02em; }
h2 { font-size: 1.125rem; margin: 2.5rem 0 0.75rem; }
.kind { color: var(--soft); font-size: 0.875rem; margin-bottom: 0.5rem; }
.logo { width: 1.25rem; height: 1.25rem; margin-right: 0.25rem; vertical-align: -0.3em; }
.version { color: var(--soft); font-size: 1rem; font-weight: 400; letter-spacing: 0; }
.about { color: var(--soft); margin-top: 0.75rem; }
.note { margin-top: 1.25rem; padding: 0.75rem 1rem; border-left: 3px solid var(--accent); background: var(--card); }
.copy {
  display: flex; gap: 0.75rem; align-items: flex-start; margin-top: 0.5rem; padding: 0.625rem 0.625rem 0.625rem 0.875rem;
  background: var(--code); border-radius: 0.5rem;
}
.copy > :first-child { flex: 1; min-width: 0; white-space: pre-wrap; padding: 0.1875rem 0; }
.address { margin-top: 1.5rem; background: var(--card); border: 1px solid var(--line); }
button, .open {
  font: inherit; font-size: 0.8125rem; line-height: 1.25rem; padding: 0.1875rem 0.75rem; border-radius: 0.375rem; cursor: pointer;
  border: 1px solid var(--line); background: var(--card); color: var(--text);
}
.address button { background: var(--code); }
button:hover { border-color: var(--soft); }
.open {
  display: inline-block; padding: 0.375rem 0.875rem; margin: 0.25rem 0 0.75rem; text-decoration: none; font-weight: 600;
  border-color: var(--accent); color: var(--accent);
}
.development { margin-top: 1.25rem; }
.open:hover { background: var(--code); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.list { list-style: none; background: var(--card); border: 1px solid var(--line); border-radius: 0.75rem; }
.list > * + * { border-top: 1px solid var(--line); }
summary { padding: 0.75rem 1rem; font-weight: 600; cursor: pointer; border-radius: 0.75rem; }
summary::marker { color: var(--soft); font-size: 0.75em; }
summary:hover { color: var(--accent); }
.guide { padding: 0 1rem 1rem; }
.guide p, .tool p { color: var(--soft); font-size: 0.9375rem; }
.tool { padding: 0.75rem 1rem; }
.tool code { font-weight: 600; font-size: 0.875rem; }
.tool span { color: var(--soft); margin-left: 0.375rem; font-size: 0.9375rem; }
.count { color: var(--soft); font-weight: 400; }
[role=status] { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
@media (max-width: 30rem) { main { padding-top: 2rem; } h1 { font-size: 1.625rem; } }
`
