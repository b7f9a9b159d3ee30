/** The script of the desk's pages: it copies values, and puts in what is new. Without it everything is there, after a reload. */
import { createHash } from 'node:crypto';

export const pageScript = `
(() => {
  'use strict';
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const show = () => { for (const element of all('[data-script]')) element.hidden = false; };
  show();

  document.addEventListener('click', async (event) => {
    const button = event.target.closest('[data-copy]');
    if (!button) return;
    const text = button.previousElementSibling;
    try {
      await navigator.clipboard.writeText(text.dataset.text ?? text.textContent);
      button.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(text);
      button.textContent = 'Selected';
    }
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });

  const reveal = () => {
    const found = document.getElementById(location.hash.slice(1));
    if (found?.tagName === 'DETAILS') found.open = true;
  };
  addEventListener('hashchange', reveal);
  reveal();

  const shown = document.body.dataset.liveOf;
  if (!shown) return;
  const status = document.querySelector('[data-live]');
  const say = (text) => { if (status && status.textContent !== text) status.textContent = text; };
  const refresh = async () => {
    const response = await fetch(location.pathname, { signal: AbortSignal.timeout(10000) });
    if (!response.ok) throw new Error();
    const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
    const held = new Map(all('details[id]').map((part) => [part.id, part.open]));
    const focused = document.activeElement?.id;
    for (const part of all('[data-part]', fresh)) {
      const old = document.querySelector('[data-part="' + part.dataset.part + '"]');
      if (!old || old.innerHTML === part.innerHTML) continue;
      for (const details of all('details[id]', part)) {
        // A step that has become the next one opens by itself; all else stays as the reader left it.
        if (held.has(details.id) && !details.hasAttribute('data-next')) details.open = held.get(details.id);
      }
      old.replaceWith(part);
    }
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
    show();
  };
  let drawing = Promise.resolve();
  const events = new EventSource('/desk/api/events');
  events.onmessage = ({ data }) => {
    if (data !== '*' && shown !== '*' && data !== shown) return;
    drawing = drawing.then(refresh).then(() => say('Live'), () => say('The desk does not answer'));
  };
  events.onerror = () => say('The desk does not answer');
})();
`;

/** What the content security policy of the pages names. */
export const pageScriptHash: string = `sha256-${createHash('sha256').update(pageScript).digest('base64')}`;
