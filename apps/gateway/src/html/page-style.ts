/** The one style sheet of the pages: small, readable, light and dark, from a phone to a wide screen. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #fbfaf7; --card: #ffffff; --ink: #1d1c1a; --soft: #5f5c55; --line: #e4e0d7; --accent: #0b5d57;
  --present: #17683a; --present-bg: #e9f4ec; --partial: #855400; --partial-bg: #fbf1dc;
  --absent: #67645c; --absent-bg: #f4f2ed; --undiscoverable: #4b5a7c; --undiscoverable-bg: #eef1f7;
  --error: #a02c20; --error-bg: #fbeae6; --code: #f4f2ed;
  --sans: Inter, ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #141513; --card: #1b1c1a; --ink: #ecebe5; --soft: #aaa79e; --line: #30322e; --accent: #72cdc3;
    --present: #83d6a0; --present-bg: #17281d; --partial: #e8bd6c; --partial-bg: #2d2413;
    --absent: #a3a097; --absent-bg: #20211f; --undiscoverable: #aab9dc; --undiscoverable-bg: #1d2230;
    --error: #f49d91; --error-bg: #331d1a; --code: #232421;
  }
}
*, ::before, ::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.55 var(--sans);
  font-variant-numeric: tabular-nums; text-rendering: optimizeLegibility; }
h1, h2, h3, p, ul, ol, dl, dd, pre, figure { margin: 0; }
ul, ol { padding: 0; list-style: none; }
a { color: var(--accent); text-underline-offset: .18em; text-decoration-thickness: 1px; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
main:focus { outline: none; }
code, pre { font: .84em/1.55 var(--mono); overflow-wrap: anywhere; }
pre { background: var(--code); border-radius: 6px; padding: .7rem .85rem; white-space: pre-wrap; max-height: 24rem; overflow: auto; }
bdi { overflow-wrap: anywhere; }
.soft { color: var(--soft); }
.unseen, .said:empty { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .5rem 1rem; z-index: 2; }
.said { position: fixed; right: 1rem; bottom: 1rem; background: var(--ink); color: var(--ground); padding: .5rem .9rem; border-radius: 6px; font-size: .9rem; }

header.site, main, footer.site { max-width: 66rem; margin: 0 auto; padding: 0 1.25rem; }
header.site { display: flex; align-items: center; gap: .75rem 1.5rem; flex-wrap: wrap; padding-block: .9rem; }
.brand { font-weight: 650; letter-spacing: -.01em; color: var(--ink); text-decoration: none; padding: .35rem 0; }
.brand span { color: var(--accent); }
nav { display: flex; gap: .25rem 1.25rem; flex-wrap: wrap; font-size: .94rem; }
nav a { color: var(--soft); text-decoration: none; padding: .35rem 0; }
nav a:hover { color: var(--ink); text-decoration: underline; }
header.site nav { margin-left: auto; }
.search { display: flex; gap: .4rem; flex: 1 1 16rem; min-width: 0; max-width: 26rem; }
input { flex: 1; min-width: 0; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--absent);
  border-radius: 6px; padding: .38rem .7rem; }
input::placeholder { color: var(--soft); opacity: 1; }
button, .button { font: inherit; font-size: .92rem; font-weight: 550; cursor: pointer; border-radius: 6px; padding: .4rem .85rem;
  border: 1px solid var(--accent); background: var(--accent); color: var(--ground); text-decoration: none; display: inline-block; }
button:hover, .button:hover { filter: brightness(1.12); }
button.copy { background: transparent; color: var(--accent); border-color: var(--line); font-size: .84rem; padding: .28rem .65rem; white-space: nowrap; }
button.copy:hover { border-color: var(--accent); filter: none; }
button.quiet { background: transparent; color: var(--accent); border-color: var(--line); } .probe { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: .8rem; }
button[hidden] { display: none; } button:disabled { opacity: .6; cursor: progress; }
.pay-said { min-height: 1.55em; overflow-wrap: anywhere; }
footer.site { margin-top: 3.5rem; padding-block: 1.25rem 2.5rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .9rem;
  display: flex; align-items: baseline; justify-content: space-between; gap: .75rem 2rem; flex-wrap: wrap; }

section { margin-top: 2.5rem; }
h1 { font-size: clamp(1.7rem, 1.2rem + 2.4vw, 2.6rem); line-height: 1.12; letter-spacing: -.025em; font-weight: 680; overflow-wrap: anywhere; }
h2 { font-size: 1.12rem; letter-spacing: -.01em; font-weight: 650; margin-bottom: .8rem; }
h2 .count { color: var(--soft); font-weight: 450; }
h3 { font-size: 1rem; font-weight: 600; }
section > .soft { max-width: 46rem; margin-bottom: .8rem; }
.pair { display: grid; gap: 0 2.5rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); }
.pair > section { min-width: 0; }
.plain li { padding: .32rem 0; border-top: 1px solid var(--line); }
.plain li:first-child { border-top: 0; }

.summary { margin-top: 1.6rem; }
.over { color: var(--soft); font-size: .9rem; margin-bottom: .2rem; }
.own-script { font-size: 1.3rem; color: var(--soft); }
.line { font-size: 1.2rem; line-height: 1.4; margin-top: .7rem; max-width: 48rem; padding-left: .85rem; border-left: 4px solid var(--absent); }
.line.good { border-color: var(--present); } .line.middling { border-color: var(--partial); } .line.bad { border-color: var(--error); }
.line .more { color: var(--soft); }
.note { margin-top: 1rem; padding: .6rem .9rem; background: var(--undiscoverable-bg); color: var(--undiscoverable); border-radius: 6px; max-width: 48rem; }
.clocks { display: flex; flex-wrap: wrap; gap: .6rem 2.5rem; margin-top: 1.2rem; font-size: .94rem; }
.clocks dt { font-weight: 600; } .clocks dt span { color: var(--soft); font-weight: 400; }
.clocks .state { margin-left: .6rem; color: var(--soft); white-space: nowrap; } .clocks .fresh .state { color: var(--present); }
.ago { color: var(--soft); } .ago::before { content: "("; } .ago::after { content: ")"; }
.links { margin-top: 1.3rem; display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1.25rem; }

.mark { width: 1em; height: 1em; vertical-align: -.13em; flex: none; }
.present { --tint: var(--present); --tint-bg: var(--present-bg); } .partial { --tint: var(--partial); --tint-bg: var(--partial-bg); }
.absent { --tint: var(--absent); --tint-bg: var(--absent-bg); } .error { --tint: var(--error); --tint-bg: var(--error-bg); }
.undiscoverable { --tint: var(--undiscoverable); --tint-bg: var(--undiscoverable-bg); }
.mark, .status { color: var(--tint); }
.grid { display: grid; gap: .5rem; grid-template-columns: repeat(auto-fill, minmax(9.4rem, 1fr)); }
.tile a { display: grid; gap: .1rem; height: 100%; min-height: 5.2rem; padding: .6rem .8rem .55rem; border-radius: 8px; background: var(--tint-bg);
  border: 1px solid transparent; color: var(--ink); text-decoration: none; align-content: start; }
.tile a:hover { border-color: var(--tint); }
.tile .mark { --ground: var(--tint-bg); }
.tile .name { font-weight: 620; letter-spacing: -.01em; }
.tile .status, .tile .version { font-size: .86rem; }
.tile .version { color: var(--soft); overflow-wrap: anywhere; }
.tile.pay a { border: 1px dashed var(--tint); }

details > summary { cursor: pointer; list-style: none; }
details > summary::-webkit-details-marker { display: none; }
.evidence-list, .fixes { border-bottom: 1px solid var(--line); }
.cell-evidence, .fix { border-top: 1px solid var(--line); }
.cell-evidence > summary { display: grid; grid-template-columns: minmax(15rem, 1.3fr) 10rem 2fr 1rem; gap: .1rem 1rem; align-items: baseline; padding: .6rem .2rem; }
.cell-evidence > summary h3 { white-space: nowrap; }
.long { font-weight: 400; color: var(--soft); font-size: .9rem; margin-left: .35rem; white-space: normal; }
.remark { color: var(--soft); font-size: .92rem; min-width: 0; overflow-wrap: anywhere; }
.cell-evidence > summary::after, .fix > summary::after { content: "+"; color: var(--soft); font-family: var(--mono); justify-self: end; }
.cell-evidence[open] > summary::after, .fix[open] > summary::after { content: "\\2212"; }
.cell-evidence > summary:hover, .fix > summary:hover { background: var(--absent-bg); }
.cell-evidence .status { font-size: .94rem; }
.inside { padding: .2rem .2rem 1.1rem; }
.facts { display: grid; gap: .15rem; font-size: .9rem; margin-bottom: .6rem; }
.facts > div { display: grid; grid-template-columns: 9rem 1fr; gap: .1rem 1rem; }
.facts dt { color: var(--soft); overflow-wrap: anywhere; } .facts dd { font-family: var(--mono); font-size: .92em; overflow-wrap: anywhere; min-width: 0; }
.findings { margin-bottom: .6rem; font-size: .9rem; } .findings li { padding: .1rem 0; color: var(--partial); }
.exchange { margin-top: .7rem; padding: .75rem .9rem .85rem; background: var(--card); border: 1px solid var(--line); border-radius: 8px; display: grid; gap: .4rem; min-width: 0; }
.asked { font: .88rem/1.5 var(--mono); overflow-wrap: anywhere; }
.came { font-size: .9rem; } .came .soft { margin-left: .5rem; } .no-answer { color: var(--error); }
.hash { font-size: .82rem; overflow-wrap: anywhere; }
.copyable { display: flex; gap: .6rem; align-items: flex-start; flex-wrap: wrap; margin-top: .3rem; }
.copyable pre { flex: 1 1 16rem; min-width: 0; padding: .4rem .7rem; }
.copyable .label { flex: 0 0 5rem; color: var(--soft); font-size: .9rem; padding-top: .3rem; }
pre[hidden] { display: none; }

.fix > summary { display: grid; grid-template-columns: 1fr auto 1rem; gap: .2rem 1rem; align-items: baseline; padding: .55rem .2rem; }
.gain { grid-column: 1 / 3; grid-row: 2; color: var(--soft); font-size: .9rem; } .gain b { font-weight: 600; color: var(--ink); }
.fix > summary h3 { font-weight: 500; min-width: 0; } .fix > summary code { color: var(--soft); }
.actions { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; margin: .6rem 0; }
.prompt > summary { color: var(--soft); font-size: .9rem; text-decoration: underline; text-underline-offset: .18em; padding: .2rem 0; }
.prompt-all { margin: 0 0 .7rem; }

.rails { display: grid; gap: .7rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)); }
.rail { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem; min-width: 0; }
.rail .price { display: flex; flex-wrap: wrap; gap: .1rem .7rem; align-items: baseline; margin-bottom: .4rem; }
.rail .price b { font-size: 1.15rem; letter-spacing: -.01em; } .rail .status { margin-left: auto; font-size: .9rem; white-space: nowrap; }
.rail em { font-style: normal; font-size: .8rem; color: var(--partial); background: var(--partial-bg); border-radius: 4px; padding: 0 .4rem; }
.rail .facts { margin: 0; } .rail .facts > div { grid-template-columns: 5.5rem 1fr; }

.timeline { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; background: var(--card); padding: .6rem .9rem .2rem; }
.timeline svg { display: block; width: 100%; min-width: 34rem; max-width: 60rem; height: auto; font: 12px var(--sans); overflow: visible; }
.timeline text { fill: var(--soft); } .timeline .lane { fill: var(--ink); font-weight: 550; }
.tick { stroke: var(--line); } .stretch { stroke: var(--tint, var(--line)); stroke-width: 3; stroke-linecap: round; }
.stretch.absent { stroke: var(--line); stroke-dasharray: 1 6; }
.hit { fill: transparent; } .dot { fill: var(--accent); stroke: var(--card); stroke-width: 2; }
.dot.vanished, .dot.degraded, .dot.pay_to_changed { fill: var(--error); }
.timeline a:hover .dot, .timeline a:focus .dot { stroke: var(--ink); } .timeline a:focus-visible { outline-offset: -2px; }
.changes { margin-top: .9rem; } .changes li { padding: .5rem .2rem; border-top: 1px solid var(--line); }
.changes li:first-child { border-top: 0; } .changes li:target { background: var(--partial-bg); outline: none; }
.changes p:first-child { color: var(--soft); font-size: .92rem; } .changes b { color: var(--ink); font-weight: 600; margin-left: .3rem; } .changes a { margin-left: .6rem; }
.incident { stroke: var(--error); stroke-width: 9; } .interval { fill: var(--present-bg); stroke: var(--present); } .share { stroke: var(--ink); stroke-width: 3; }
.stretch.price { stroke: var(--accent); stroke-width: 2; } .timeline .lane.price { font-weight: 400; } .timeline .cost { font-size: 10px; fill: var(--ink); }
.legend { display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; margin-top: .6rem; color: var(--soft); font-size: .86rem; } .sample { width: 1.7em; height: .6em; }
.badge { display: block; height: 20px; max-width: 100%; margin-bottom: .6rem; }

.hero { margin-top: clamp(1.5rem, 6vw, 4rem); } .hero p { margin-top: .8rem; font-size: 1.14rem; color: var(--soft); max-width: 40rem; }
.hero .search { margin-top: 1.5rem; max-width: 36rem; } .hero input { font-size: 1.1rem; padding: .6rem .9rem; } .hero button { padding-inline: 1.4rem; font-size: 1rem; }
.plain-head { margin-top: 1.8rem; } .plain-head .search { margin-top: 1.2rem; } .plain-head p { margin-top: .6rem; color: var(--soft); font-size: 1.1rem; max-width: 44rem; }
.recent { border-bottom: 1px solid var(--line); }
.recent li { display: grid; grid-template-columns: minmax(12rem, 1.4fr) 13.5rem 1.1fr 1.7fr; gap: .1rem 1rem; align-items: baseline; padding: .5rem .2rem; border-top: 1px solid var(--line); }
.recent a { font-weight: 580; overflow-wrap: anywhere; } .recent .soft, .said-of { font-size: .9rem; }
.strip { display: inline-flex; gap: .22rem; font-size: .95rem; align-self: center; }
.prices > div, .never > div { display: flex; justify-content: space-between; gap: .1rem 1.5rem; padding: .32rem 0; border-top: 1px solid var(--line); flex-wrap: wrap; }
.prices > div:first-child { border-top: 0; } .prices dd, .never dd { font-weight: 560; } .prices + p { margin-top: .5rem; }
.never dd { font-weight: 400; color: var(--soft); } .never + p { margin-top: .8rem; }
.products { display: grid; gap: .7rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr)); }
.products li { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1rem; display: grid; gap: .25rem; align-content: start; }
.products .amount { font-size: 1.15rem; font-weight: 620; color: var(--accent); } .products p { font-size: .94rem; } .products code { color: var(--soft); }
main ol:not([class]) { list-style: decimal; padding-left: 1.3rem; margin-bottom: .9rem; } main ol:not([class]) li { padding: .15rem 0; }
main > section > p + p, main > section > pre + p { margin-top: .7rem; } section > p + pre { margin-top: .7rem; }
.prose { max-width: 50rem; } .prose > h2 { margin-top: 2rem; } .prose ul { list-style: disc; padding-left: 1.2rem; }
table { border-collapse: collapse; margin-top: .8rem; font-size: .94rem; } td, th { text-align: left; vertical-align: top; padding: .3rem 1.2rem .3rem 0; border-top: 1px solid var(--line); }
.codes > div { display: grid; grid-template-columns: minmax(14rem, 1fr) 3rem 2.4fr; gap: .1rem 1rem; padding: .4rem 0; border-top: 1px solid var(--line); }
.reasons > div { padding: .4rem 0; border-top: 1px solid var(--line); }
.codes dd:first-of-type { color: var(--soft); }
.answer { display: grid; gap: 1rem; margin-top: 1.4rem; max-width: 44rem; } .answer dt { color: var(--soft); font-size: .92rem; }

.filter { display: flex; flex-wrap: wrap; gap: .7rem 1.2rem; align-items: end; margin-top: 1.4rem; } .filter label { display: grid; gap: .2rem; font-size: .92rem; }
select { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--absent); border-radius: 6px; padding: .42rem .6rem; }
.payable ul { margin-top: .2rem; font-size: .94rem; } .payable ul li { border: 0; padding: .1rem 0; overflow-wrap: anywhere; } .payable code { color: var(--soft); }
.check { display: grid; gap: .3rem; max-width: 36rem; margin: 1.2rem 0; } .check[hidden] { display: none; } .check label { margin-top: .5rem; font-weight: 550; }
.check label span { font-weight: 400; } .check button { margin-top: .9rem; justify-self: start; }
.check-outcome { margin: 1rem 0; } .check-outcome p { font-weight: 600; } .check-outcome.present p { color: var(--present); } .check-outcome.error p { color: var(--error); }
.check-outcome dl { display: grid; grid-template-columns: minmax(7rem, auto) 1fr; gap: .15rem 1rem; margin-top: .6rem; overflow-wrap: anywhere; }

@media (max-width: 60rem) {
  .recent li { grid-template-columns: 1fr auto; } .recent .strip { grid-column: 1 / 3; grid-row: 2; } .recent li > .soft { grid-column: 1 / 3; }
}
@media (max-width: 46rem) {
  header.site .search { order: 3; flex-basis: 100%; max-width: none; }
  .grid { grid-template-columns: repeat(2, 1fr); gap: .4rem; }
  .tile a { min-height: 4.8rem; padding: .5rem .7rem; }
  .cell-evidence > summary { grid-template-columns: 1fr auto 1rem; } .cell-evidence > summary .remark { grid-column: 1 / 3; grid-row: 2; }
  .cell-evidence > summary h3 { white-space: normal; } .long { display: none; }
  .facts > div, .rail .facts > div { grid-template-columns: 1fr; } .facts dt { font-size: .92em; margin-top: .25rem; }
  .codes > div { grid-template-columns: 1fr auto; } .codes dd:last-of-type { grid-column: 1 / 3; }
  .fix > summary { grid-template-columns: 1fr 1rem; } .fix > summary code, .gain { grid-column: 1 / 2; grid-row: auto; } .fix > summary::after { grid-column: 2; grid-row: 1; }
}
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
@media (forced-colors: active) {
  button, .button { background: ButtonFace; color: ButtonText; border-color: ButtonText; forced-color-adjust: none; }
  .tile a, .line { border-color: CanvasText; } .mark, .status { color: CanvasText; }
  .stretch, .incident, .share, .tick { stroke: CanvasText; } .timeline text { fill: CanvasText; } .dot { fill: LinkText; stroke: Canvas; }
}
@media print { header.site, footer.site, .copy { display: none; } }
`;
