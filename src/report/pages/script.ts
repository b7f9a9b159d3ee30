/**
 * The script of report.html: TypeScript functions that go into the page as text, those that make elements on the server among
 * them. Without it everything that matters can be read; it adds the list of exchanges, search, filters and copying.
 */
import { createHash } from 'node:crypto';
import { signs } from '../terminal.ts';
import { visibleInBrowser } from '../visible.ts';
import { codeBlock, differingPart, hexView } from './components.ts';
import * as detail from './exchange-detail.ts';
import * as lines from './exchange-lines.ts';
import { copyTexts } from './script-copy.ts';
import { make, readAddress, startExchanges } from './script-exchanges.ts';

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

/** The lines of the data that the page carries: the head first, then an exchange in each. */
async function inflatedLines(packed: string): Promise<string[]> {
  const bytes = Uint8Array.from(atob(packed), (unit) => unit.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return (await new Response(stream).text()).split('\n');
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
  for (const box of document.querySelectorAll<HTMLElement>('[data-filter]')) startFilter(box);
  const packed = document.getElementById('packed');
  if (packed !== null) inflatedLines(packed.textContent ?? '').then(startExchanges);
}

/** Search and pills over rows that are in the page already, such as those of a comparison; the address keeps both. */
function startFilter(box: HTMLElement): void {
  const part = box.dataset.filter!;
  const rows = [...document.querySelectorAll<HTMLElement>(`#${part} [data-row]`)];
  const texts = rows.map((row) => (row.textContent ?? '').toLowerCase());
  const pills = [...box.querySelectorAll<HTMLButtonElement>('.pill')];
  const [search, output] = [box.querySelector('input')!, box.querySelector('output')!];
  const isOn = (pill: HTMLElement) => pill.getAttribute('aria-pressed') === 'true';
  const apply = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const on = new Set(pills.filter(isOn).map(({ value }) => value));
    for (const [index, row] of rows.entries()) {
      const isChosen = on.size === 0 || on.has(row.dataset.row!);
      row.hidden = !isChosen || !words.every((word) => texts[index]!.includes(word));
    }
    output.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
  };
  const keep = () => {
    const { anchor, chosen } = readAddress();
    chosen.delete(part);
    chosen.delete(`${part}-q`);
    for (const pill of pills.filter(isOn)) chosen.append(part, pill.value);
    if (search.value !== '') chosen.set(`${part}-q`, search.value);
    const kept = chosen.size === 0 ? '' : `&${chosen}`;
    history.replaceState(null, '', `#${anchor === '' ? part : encodeURIComponent(anchor)}${kept}`);
  };
  const fromAddress = () => {
    const { chosen } = readAddress();
    // A link of the page names a place alone: what was chosen stays.
    if (chosen.size > 0) {
      const on = chosen.getAll(part);
      for (const pill of pills) pill.setAttribute('aria-pressed', String(on.includes(pill.value)));
      search.value = chosen.get(`${part}-q`) ?? '';
    }
    apply();
  };
  for (const pill of pills) {
    pill.addEventListener('click', () => {
      pill.setAttribute('aria-pressed', String(!isOn(pill)));
      apply();
      keep();
    });
  }
  search.addEventListener('input', () => {
    apply();
    keep();
  });
  addEventListener('hashchange', fromAddress);
  fromAddress();
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
  startFilter,
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
