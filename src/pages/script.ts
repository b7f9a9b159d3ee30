/**
 * The script of report.html: TypeScript functions that go into the page as text, those that make elements on the server among
 * them. Without it everything that matters can be read; it adds the list of exchanges, search, filters and copying.
 */
import { createHash } from 'node:crypto';
import { signs } from '../report/terminal.ts';
import { visibleInBrowser } from '../report/visible.ts';
import { codeBlock, differingPart, hexView } from './components.ts';
import * as detail from './exchange-detail.ts';
import * as lines from './exchange-lines.ts';
import { copyTexts } from './script-copy.ts';
import { inflatedLines, make, readAddress, startExchanges } from './script-exchanges.ts';

/** Selects the text where a page may not use the clipboard. */
async function copy(text: string, button: HTMLElement): Promise<void> {
  const title = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    button.textContent = document.execCommand('copy') ? 'Copied' : 'Not allowed here';
    area.remove();
  }
  setTimeout(() => {
    button.textContent = title;
  }, 2000);
}

/** What every page does: shows what needs the script, copies commands, and opens what an address names. */
function startPage(): void {
  for (const element of document.querySelectorAll<HTMLElement>('[data-script]')) element.hidden = false;
  document.addEventListener('click', (event) => {
    const button = (event.target as HTMLElement).closest<HTMLElement>('[data-copy]');
    if (button !== null) copy(button.previousElementSibling?.textContent ?? '', button);
  });
  const reveal = () => {
    const found = document.getElementById(readAddress().anchor);
    if (found === null) return;
    for (let part: HTMLElement | null = found; part; part = part.parentElement) {
      if (part.tagName === 'DETAILS') (part as HTMLDetailsElement).open = true;
    }
    found.scrollIntoView();
  };
  addEventListener('hashchange', reveal);
  reveal();
  const packed = document.getElementById('packed');
  if (packed !== null) inflatedLines(packed.textContent ?? '').then(startExchanges);
}

const outcomes = Object.entries(signs).map(([outcome, { sign }]) => [outcome, sign]);
const functions = [
  codeBlock,
  differingPart,
  hexView,
  ...Object.values(detail),
  ...Object.values(lines),
  copyTexts,
  inflatedLines,
  make,
  readAddress,
  startExchanges,
  copy,
  startPage,
];

export const script = `(() => {
'use strict';
${visibleInBrowser}
const signs = ${JSON.stringify(Object.fromEntries([...outcomes, ['none', '·']]))};
${functions.map(String).join('\n')}
startPage();
})();
`;

/** What the content security policy of the page names. */
export const scriptHash = `sha256-${createHash('sha256').update(script).digest('base64')}`;
