/** The script for the pages of the desk. The build replaces this module with the text of the script. */
import { scriptOf } from '../../../report/pages/script.ts';

function startLive(): void {
  const liveId = document.body.dataset.liveOf;
  if (!liveId) return;
  const findAll = (selector: string, root: ParentNode = document) => [...root.querySelectorAll<HTMLElement>(selector)];
  const folds = (root?: ParentNode) => findAll('details', root) as HTMLDetailsElement[];
  const nameOf = (fold: HTMLElement) => fold.id || `${fold.closest('[id]')?.id} ${fold.firstElementChild?.textContent}`;
  const status = document.querySelector('[data-live]');
  const setStatus = (text: string) => {
    if (status !== null && status.textContent !== text) status.textContent = text;
  };
  const refresh = async () => {
    const response = await fetch(location.pathname, { signal: AbortSignal.timeout(10_000) });
    if (!response.ok) throw new Error();
    const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
    const wasOpen = new Map(folds().map((fold) => [nameOf(fold), fold.open]));
    const focused = document.activeElement?.id;
    for (const part of findAll('[data-part]', fresh)) {
      const old = document.querySelector(`[data-part="${part.dataset.part}"]`);
      if (old === null || old.innerHTML === part.innerHTML) continue;
      for (const fold of folds(part)) {
        // Keep sections open or closed as the user left them, but open the next step.
        if (!fold.hasAttribute('data-next')) fold.open = wasOpen.get(nameOf(fold)) ?? fold.open;
      }
      old.replaceWith(part);
    }
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
    for (const button of findAll('[data-script]')) button.hidden = false;
  };
  let refreshing = Promise.resolve();
  const events = new EventSource('/desk/api/events');
  events.onmessage = ({ data }) => {
    if (data !== '*' && liveId !== '*' && data !== liveId) return;
    refreshing = refreshing.then(refresh).then(
      () => setStatus('Live'),
      () => setStatus('The desk does not answer'),
    );
  };
  events.onerror = () => setStatus('The desk does not answer');
}

export const { script, scriptHash } = scriptOf(startLive);
