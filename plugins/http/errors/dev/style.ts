/** Colours are mixed from the text's own, so that they fit the reader's choice of light or dark. */
export const STYLE = `
body { margin: 2rem auto }
h1 { margin: .3rem 0 1rem; white-space: pre-wrap }
h2 { font-size: 1rem; margin: 1.6rem 0 .5rem; overflow-wrap: anywhere; white-space: pre-wrap }
.status { color: light-dark(#c22, #f66); font-weight: 600; margin: 0 }
.note { border: 1px solid #d90; border-radius: 6px; margin-bottom: 1.5rem; padding: .2rem 1rem }
.place { margin: 0 0 .3rem }
code, pre, td { font: .875rem/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
pre { background: #8881; border-radius: 6px; margin: 0; overflow-x: auto; padding: .6rem 0; tab-size: 4 }
pre span, pre mark { display: block; min-width: max-content; padding-right: 1rem; white-space: pre }
pre i { display: inline-block; font-style: normal; opacity: .7; padding-right: 1rem; text-align: right; user-select: none; width: 3rem }
mark { background: #d332; color: inherit }
mark b { text-decoration: underline wavy #d33; text-decoration-skip-ink: none; text-underline-offset: 3px }
.stack { list-style: none; margin: .8rem 0 0; padding: 0; overflow-wrap: anywhere }
.project { font-weight: 600 }
.package, .node { opacity: .7 }
table { border-collapse: collapse; width: 100% }
th, td { border-top: 1px solid #8883; padding: .25rem 1rem .25rem 0; text-align: left; vertical-align: top }
th { font-size: .875rem; font-weight: 500; white-space: nowrap }
p { overflow-wrap: anywhere }
td { overflow-wrap: anywhere; width: 100% }
`;
