/**
 * The list of exchanges as the script of report.html runs it: search, pills, the address that keeps both, and the detail. Each
 * function goes into the page as text (script.ts), so it uses nothing but what is there too.
 */
import type { Make } from './components.ts';
import type { PageEntry, PageExchange, PageHead } from './exchange-data.ts';
import { exchangeDetail } from './exchange-detail.ts';
import { copyTexts } from './script-copy.ts';

/** Makes an element of the page; a string is text and never mark-up. */
export const make: Make<HTMLElement> = function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
};

/** What the address keeps beside its anchor: `#exchange-4&outcome=fail+error&q=nonce`. */
export function readAddress(): { readonly anchor: string; readonly chosen: URLSearchParams } {
  const [anchor = '', ...rest] = location.hash.slice(1).split('&');
  let named = anchor;
  try {
    named = decodeURIComponent(anchor);
  } catch {}
  return { anchor: named, chosen: new URLSearchParams(rest.join('&')) };
}

/** Shows list and detail, and fills the evidence of findings when they are opened. */
export function startExchanges([first = '{}', ...lines]: readonly string[]): void {
  const head = JSON.parse(first) as PageHead;
  const { entries, rows } = head;
  const at = new Map(entries.map(({ number }, index) => [number, index]));
  const exchange = (number: number | undefined): PageExchange | undefined =>
    number === undefined || !at.has(number) ? undefined : JSON.parse(lines[at.get(number)!]!);
  const find = <E extends HTMLElement>(selector: string) => document.querySelector<E>(selector)!;
  const [list, pane, output, search] = [
    find('#list'),
    find('#detail'),
    find('#shown'),
    find<HTMLInputElement>('#search'),
  ];
  const sizer = list.firstElementChild as HTMLElement;
  const pills = [...document.querySelectorAll<HTMLButtonElement>('#exchanges .pill')];
  let haystack: string[] | undefined;
  let fitting: readonly PageEntry[] = entries;
  let selected = 0;

  const kinds = ['outcome', 'dimension', 'operation', 'section'] as const;
  const valuesOf = (entry: PageEntry, kind: (typeof kinds)[number]): readonly string[] => {
    if (kind === 'outcome') return [entry.outcome];
    if (kind === 'operation') return [entry.operation];
    return entry.rows.map((index) => rows[index]![kind]);
  };

  const height = () => (matchMedia('(max-width: 46rem)').matches ? 64 : 44);
  const draw = () => {
    const each = height();
    sizer.style.height = `${fitting.length * each}px`;
    const from = Math.max(0, Math.floor(list.scrollTop / each) - 4);
    const shown = fitting.slice(from, from + Math.ceil(list.clientHeight / each) + 8);
    sizer.replaceChildren(
      ...shown.map((entry, index) => {
        const option = make(
          'div',
          {
            role: 'option',
            id: `option-${entry.number}`,
            class: 'option',
            'aria-selected': String(entry.number === selected),
            'aria-setsize': fitting.length,
            'aria-posinset': from + index + 1,
            'data-number': entry.number,
          },
          make('span', { class: 'number' }, String(entry.number)),
          make('span', { class: `dot ${entry.outcome}`, title: entry.outcome }, signs[entry.outcome] ?? ''),
          make(
            'span',
            { class: 'name' },
            visible(entry.name),
            ' ',
            make('span', { class: 'line' }, visible(entry.line)),
          ),
          make('span', { class: 'status' }, entry.status),
          make('span', { class: 'time' }, entry.time),
        );
        option.style.top = `${(from + index) * each}px`;
        return option;
      }),
    );
    if (document.getElementById(`option-${selected}`)) list.setAttribute('aria-activedescendant', `option-${selected}`);
    else list.removeAttribute('aria-activedescendant');
  };

  const prepare = () => {
    haystack ??= lines.map((line) => line.toLowerCase());
  };

  const apply = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length > 0) prepare();
    const chosen = kinds.map((kind) => {
      const on = pills.filter((pill) => pill.dataset.kind === kind && pill.ariaPressed === 'true');
      return [kind, new Set(on.map(({ value }) => value))] as const;
    });
    fitting = entries.filter(
      (entry, index) =>
        chosen.every(([kind, on]) => on.size === 0 || valuesOf(entry, kind).some((value) => on.has(value))) &&
        words.every((word) => haystack![index]!.includes(word)),
    );
    output.textContent = `${fitting.length} of ${entries.length} exchanges`;
    list.scrollTop = 0;
    draw();
  };

  const keep = (anchor: string) => {
    const parts = kinds.flatMap((kind) => {
      const on = pills.filter((pill) => pill.dataset.kind === kind && pill.ariaPressed === 'true');
      return on.length === 0 ? [] : [`${kind}=${on.map(({ value }) => encodeURIComponent(value)).join('+')}`];
    });
    if (search.value !== '') parts.push(`q=${encodeURIComponent(search.value)}`);
    history.replaceState(null, '', `#${[anchor, ...parts].join('&')}`);
  };

  const detail = (number: number) => {
    const one = exchange(number);
    if (one === undefined) return;
    const entry = entries[at.get(number)!]!;
    const mine = entry.rows.map((index) => rows[index]!);
    const kept = mine.filter(({ outcome }) => outcome === 'pass').map(({ id }) => visible(id));
    const copies = copyTexts(head, one, mine).map(([title, text]) => {
      const button = make('button', { type: 'button' }, title);
      button.addEventListener('click', () => copy(text, button));
      return button;
    });
    pane.replaceChildren(
      make(
        'h3',
        { tabindex: -1 },
        `Exchange ${number} `,
        make(
          'span',
          { class: `badge ${entry.outcome}` },
          entry.outcome === 'none' ? 'nothing rests on it' : entry.outcome,
        ),
      ),
      make('p', { class: 'muted' }, visible(entry.name)),
      make('p', { class: 'buttons' }, ...copies),
      ...exchangeDetail(make, one, exchange(one.twin), mine),
      ...(kept.length === 0
        ? []
        : [
            make(
              'details',
              { class: 'fold' },
              make('summary', null, `${kept.length} ${kept.length === 1 ? 'requirement' : 'requirements'} kept here`),
              make('p', null, kept.join(', ')),
            ),
          ]),
    );
    pane.scrollTop = 0;
  };

  const select = (number: number) => {
    if (!at.has(number)) return;
    selected = number;
    const index = fitting.findIndex((entry) => entry.number === number);
    const top = index * height();
    if (index >= 0 && (top < list.scrollTop || top + height() > list.scrollTop + list.clientHeight)) {
      list.scrollTop = Math.max(0, top - list.clientHeight / 3);
    }
    draw();
    detail(number);
  };

  const fromAddress = () => {
    const { anchor, chosen } = readAddress();
    // A link of the page names an exchange alone: what was chosen stays.
    if (chosen.size > 0) {
      for (const pill of pills) {
        const on = chosen.get(pill.dataset.kind!)?.split(' ') ?? [];
        pill.ariaPressed = String(on.includes(pill.value));
      }
      search.value = chosen.get('q') ?? '';
    }
    apply();
    const number = Number(/^exchange-(\d+)$/.exec(anchor)?.[1]);
    if (!Number.isNaN(number) && at.has(number)) {
      select(number);
      keep(anchor);
      (matchMedia('(max-width: 60rem)').matches ? pane : find('#exchanges')).scrollIntoView();
      find<HTMLElement>('#detail h3').focus({ preventScroll: true });
    }
  };

  list.addEventListener('scroll', draw);
  addEventListener('resize', draw);
  list.addEventListener('click', (event) => {
    const option = (event.target as HTMLElement).closest<HTMLElement>('[data-number]');
    if (option === null) return;
    select(Number(option.dataset.number));
    keep(`exchange-${selected}`);
    if (matchMedia('(max-width: 60rem)').matches) pane.scrollIntoView();
  });
  list.addEventListener('keydown', (event) => {
    const now = fitting.findIndex(({ number }) => number === selected);
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: 10,
      PageUp: -10,
      Home: -1e9,
      End: 1e9,
    };
    const step = steps[event.key];
    if (event.key === 'Enter') find<HTMLElement>('#detail h3')?.focus();
    if (step === undefined || fitting.length === 0) return;
    event.preventDefault();
    select(fitting[Math.min(fitting.length - 1, Math.max(0, now + step))]!.number);
    keep(`exchange-${selected}`);
  });
  for (const pill of pills) {
    pill.addEventListener('click', () => {
      pill.ariaPressed = String(pill.ariaPressed !== 'true');
      apply();
      keep(selected === 0 ? 'exchanges' : `exchange-${selected}`);
    });
  }
  // Before the first key, which should be as quick as the others.
  search.addEventListener('focus', prepare);
  search.addEventListener('input', () => {
    apply();
    keep(selected === 0 ? 'exchanges' : `exchange-${selected}`);
  });
  addEventListener('hashchange', fromAddress);
  for (const place of document.querySelectorAll<HTMLElement>('[data-evidence]')) {
    const fill = () => {
      const one = exchange(Number(place.dataset.evidence));
      if (one === undefined || place.childElementCount > 0) return;
      place.append(...exchangeDetail(make, one, exchange(one.twin), []));
    };
    const around = place.closest('details')!;
    around.addEventListener('toggle', fill);
    if (around.open) fill();
  }
  fromAddress();
}

declare const signs: Record<string, string>;
declare function visible(text: string): string;
declare function copy(text: string, button: HTMLElement): Promise<void>;
