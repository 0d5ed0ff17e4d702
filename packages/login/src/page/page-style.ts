/** The style sheet of the pages. Both color schemes have a contrast of at least 4.5 to 1. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --page: #faf9f7; --card: #fff; --line: #e6e2dd; --text: #2b2825; --soft: #5f5952; --accent: #a03c08; --on-accent: #fff;
  --code: #f3efea;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #191817; --card: #211f1e; --line: #34312e; --text: #e8e4df; --soft: #b0a9a1; --accent: #f5a172; --on-accent: #191817;
    --code: #2a2725;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.25rem; overflow-wrap: anywhere;
  background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Open Sans', 'DejaVu Sans', sans-serif;
}
main {
  width: 100%; max-width: 27rem; padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: 1rem;
}
h1, p, ul, dl, dd { margin: 0; padding: 0; }
h1 { font-size: 1.375rem; line-height: 1.3; letter-spacing: -0.01em; }
.logo { display: block; max-width: 10rem; max-height: 3rem; margin-bottom: 1.25rem; }
.intro { margin-top: 0.75rem; }
.soft, dt { color: var(--soft); font-size: 0.875rem; }
dl { margin-top: 1.25rem; padding: 1rem; background: var(--code); border-radius: 0.625rem; }
dt:not(:first-child) { margin-top: 0.75rem; }
dd { font-weight: 600; }
ul { list-style: none; }
code { font: 0.875rem/1.5 ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; }
.warning { margin-top: 1.25rem; padding-left: 0.875rem; border-left: 3px solid var(--accent); }
form { margin-top: 1.5rem; display: grid; gap: 0.625rem; }
button {
  font: inherit; font-weight: 600; padding: 0.6875rem 1rem; border-radius: 0.625rem; cursor: pointer;
  border: 1px solid var(--line); background: var(--card); color: var(--text);
}
button:hover { border-color: var(--soft); }
button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.main:hover { filter: brightness(1.1); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
a { color: var(--accent); }
.support { margin-top: 1.25rem; font-size: 0.875rem; }
@media (max-width: 30rem) { body { padding: 0; place-items: stretch; } main { border: 0; border-radius: 0; padding: 1.5rem; } }
`
