/** The script of report.html. Without it everything can be read; it adds search, filters, copying, and opens what an address names. */

export const script = `
(() => {
  'use strict';
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  for (const element of all('[data-script]')) element.hidden = false;

  const texts = new WeakMap();
  const textOf = (row) => {
    if (!texts.has(row)) texts.set(row, row.textContent.toLowerCase());
    return texts.get(row);
  };
  for (const box of all('[data-filter]')) {
    const rows = all(box.dataset.filter);
    const groups = new Set(rows.map((row) => row.closest('[data-group]')).filter(Boolean));
    const search = box.querySelector('input[type=search]');
    const choices = all('input[type=checkbox]', box);
    const output = box.querySelector('output');
    const apply = () => {
      const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
      const chosen = new Set(choices.filter((choice) => choice.checked).map((choice) => choice.value));
      let shown = 0;
      for (const row of rows) {
        const fits = (choices.length === 0 || chosen.has(row.dataset.outcome)) && words.every((word) => textOf(row).includes(word));
        row.hidden = !fits;
        if (fits) shown += 1;
      }
      for (const group of groups) group.hidden = !group.querySelector('[data-row]:not([hidden])');
      output.textContent = shown + ' of ' + rows.length + ' shown';
    };
    let waiting;
    search.addEventListener('input', () => {
      clearTimeout(waiting);
      waiting = setTimeout(apply, 120);
    });
    for (const choice of choices) choice.addEventListener('change', apply);
    for (const button of all('[data-all]', box)) {
      button.addEventListener('click', () => {
        for (const row of rows) row.open = button.dataset.all === 'open';
      });
    }
    apply();
  }

  for (const button of all('[data-copy]')) {
    button.addEventListener('click', async () => {
      const text = button.previousElementSibling;
      try {
        await navigator.clipboard.writeText(text.textContent);
        button.textContent = 'Copied';
      } catch {
        getSelection().selectAllChildren(text);
        button.textContent = 'Selected';
      }
      setTimeout(() => { button.textContent = 'Copy'; }, 2000);
    });
  }

  const reveal = () => {
    let found = null;
    try {
      found = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    } catch {}
    if (!found) return;
    for (let part = found; part; part = part.parentElement) {
      part.hidden = false;
      if (part.tagName === 'DETAILS') part.open = true;
    }
    (found.closest('details') || found).scrollIntoView();
  };
  addEventListener('hashchange', reveal);
  reveal();
  addEventListener('beforeprint', () => {
    for (const row of all('details:not(.exchange)')) row.open = true;
  });
})();
`;

/** What the content security policy of the page names; a unit test holds it to the script. */
export const scriptHash = 'sha256-22RMvtiQtLPLQBwgB/68rlFLswbzN6uaSvX4+17LK9I=';
