/** The page's style: system fonts, one accent, light and dark. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #fbfaf7; --card: #ffffff; --ink: #1c2320; --soft: #59635e; --line: #dcdfd8;
  --accent: #14684c; --accent-ink: #ffffff; --modern: #14684c; --legacy: #8a4b08; --bad: #a4262c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #131816; --card: #1b211e; --ink: #e8ece9; --soft: #a3aea8; --line: #333c37;
    --accent: #6fd3ab; --accent-ink: #10201a; --modern: #6fd3ab; --legacy: #f0b35e; --bad: #ff9a9a;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2.5rem 1.25rem 4rem; max-width: 68rem;
  background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif;
}
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0; letter-spacing: -0.02em; }
h2 { font-size: 1.15rem; margin: 2.75rem 0 0.9rem; }
h3 { font-size: 0.95rem; margin: 0; }
p { margin: 0.4rem 0; }
.soft { color: var(--soft); }
code, pre { font: 0.84rem/1.5 ui-monospace, monospace; }
.address {
  display: inline-block; margin: 0.9rem 0 0.3rem; padding: 0.45rem 0.8rem; border-radius: 0.5rem;
  background: var(--accent); color: var(--accent-ink); font-size: 1rem; overflow-wrap: anywhere;
}
.cards { display: grid; gap: 0.9rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); }
.cards.wide { grid-template-columns: repeat(auto-fit, minmax(min(100%, 28rem), 1fr)); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 0.6rem; padding: 0.9rem 1rem; min-width: 0; }
.card p { margin: 0; font-size: 0.85rem; }
.card pre { margin: 0.6rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere; }
dl { margin: 0.6rem 0 0; }
dt { font: 600 0.84rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
dd { margin: 0 0 0.5rem; color: var(--soft); font-size: 0.85rem; }
.app { display: grid; gap: 0.9rem 1.6rem; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); align-items: start; }
.app-host { background: var(--card); border: 1px solid var(--line); border-radius: 0.6rem; overflow: hidden; }
#app-frame { min-height: 6rem; }
#app-frame iframe { display: block; width: 100%; height: 18rem; border: 0; color-scheme: normal; }
#app-question { border-top: 1px solid var(--line); padding: 0.8rem 1rem; }
#app-question p { margin: 0 0 0.6rem; font-size: 0.9rem; overflow-wrap: anywhere; }
.app-about p { margin: 0 0 0.7rem; font-size: 0.9rem; }
.app-about h3 { margin-top: 1.4rem; }
.app-about pre { margin: 0.5rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 18rem; overflow: auto; }
button {
  font: inherit; font-size: 0.88rem; padding: 0.3rem 0.9rem; border: 1px solid var(--accent); border-radius: 0.45rem;
  background: transparent; color: var(--accent); cursor: pointer;
}
button.main { background: var(--accent); color: var(--accent-ink); }
button:disabled { opacity: 0.5; cursor: default; }
.task-run { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; font-size: 0.9rem; }
.task-run input { font: inherit; width: 5rem; padding: 0.25rem 0.4rem; border: 1px solid var(--line); border-radius: 0.45rem; background: var(--paper); color: var(--ink); }
#task-progress { display: block; width: 100%; height: 0.5rem; margin: 0.8rem 0; accent-color: var(--accent); }
#task-state { margin-bottom: 0.5rem; overflow-wrap: anywhere; }
#app-login ul { margin: 0.5rem 0 0; padding-left: 1.2rem; font-size: 0.85rem; }
.live { display: flex; flex-wrap: wrap; gap: 0.3rem 1rem; align-items: baseline; }
.live h2 { margin-bottom: 0.4rem; }
#open { list-style: none; margin: 0 0 0.6rem; padding: 0; display: flex; flex-wrap: wrap; gap: 0.4rem; }
#open li {
  border: 1px solid var(--accent); border-radius: 1rem; padding: 0.05rem 0.7rem;
  font: 0.8rem/1.6 ui-monospace, monospace; overflow-wrap: anywhere;
}
.rows { background: var(--card); border: 1px solid var(--line); border-radius: 0.6rem; overflow: auto; max-height: 27rem; }
table { border-collapse: collapse; width: 100%; font-size: 0.88rem; }
th, td { text-align: left; padding: 0.4rem 0.8rem; white-space: nowrap; }
th { color: var(--soft); font-weight: 600; position: sticky; top: 0; background: var(--card); box-shadow: 0 1px var(--line); }
tr + tr td { border-top: 1px solid var(--line); }
td.request { width: 100%; min-width: 9rem; white-space: normal; overflow-wrap: anywhere; }
.name { color: var(--soft); margin-left: 0.6rem; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
.modern { color: var(--modern); font-weight: 600; }
.legacy { color: var(--legacy); font-weight: 600; }
.bad { color: var(--bad); font-weight: 600; }
@media (max-width: 48rem) {
  .app { grid-template-columns: minmax(0, 1fr); }
}
@media (max-width: 40rem) {
  .time { display: none; }
  .name { display: block; margin: 0; }
  table { font-size: 0.8rem; }
  th, td { padding: 0.4rem; }
  td.request { min-width: 7.5rem; }
  td.status { white-space: normal; }
}
`;
