// What makes the manual handier, and nothing of it is needed to read it: hits while one types, `/` for the search, a button that
// copies a block of code.
const field = document.querySelector('#q');
const found = document.querySelector('#found');
const QUIET_MS = 120;

let asked = 0;
let timer;

function close() {
  found.hidden = true;
}

async function show() {
  const question = field.value.trim();
  const turn = ++asked;
  if (question === '') return close();
  const address = new URL(field.form.action);
  address.search = new URLSearchParams({ q: question, part: '' });
  const answer = await fetch(address).catch(() => undefined);
  // Of two answers the one to the last question counts.
  if (!answer?.ok || turn !== asked) return;
  found.innerHTML = await answer.text();
  found.hidden = turn !== asked;
}

field.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(show, QUIET_MS);
});
document.addEventListener('keydown', (event) => {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (key === '/' && !target.matches('input, textarea')) {
    event.preventDefault();
    field.focus();
    field.select();
  } else if (key === 'Escape' && !found.hidden) {
    // Else the browser empties the field.
    event.preventDefault();
    clearTimeout(timer);
    asked++;
    close();
    field.focus();
  } else if ((key === 'ArrowDown' || key === 'ArrowUp') && !found.hidden && field.form.contains(target)) {
    const links = [field, ...found.querySelectorAll('a')];
    const next = links[links.indexOf(target) + (key === 'ArrowDown' ? 1 : -1)];
    if (!next) return;
    event.preventDefault();
    next.focus();
  }
});
document.addEventListener('click', ({ target }) => {
  if (!field.form.contains(target)) close();
});
field.form.addEventListener('focusout', ({ relatedTarget }) => {
  if (relatedTarget && !field.form.contains(relatedTarget)) close();
});

if (navigator.clipboard)
  for (const block of document.querySelectorAll('.code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.querySelector('pre').textContent);
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 1500);
    });
    block.append(button);
  }

// The page that is shown stands in the middle of the list.
const here = document.querySelector('.pages [aria-current]');
const list = here?.closest('.pages');
if (list) list.scrollTop = here.offsetTop - list.clientHeight / 2;
