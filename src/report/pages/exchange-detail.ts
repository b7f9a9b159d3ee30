/**
 * One exchange with everything on it, made on the server where scripts are off and by the script of the page otherwise: each
 * function stands by itself or calls others that the script has too (script.ts names them).
 */
import { visible } from '../visible.ts';
import { codeBlock, hexView, type Make } from './components.ts';
import type { PageExchange, PageRow } from './exchange-data.ts';
import { linedBlock, requestLines, responseLines, visibleLines, wireText } from './exchange-lines.ts';
import type { PageBody, PageMessage } from './message.ts';

/** The exchange beside its twin, then the requirements that rest on it, its signature, what was answered, and its bytes. */
export function exchangeDetail<Made>(
  h: Make<Made>,
  one: PageExchange,
  twin: PageExchange | undefined,
  rows: readonly PageRow[],
): Made[] {
  const open = rows.filter(({ outcome }) => outcome === 'fail' || outcome === 'error' || outcome === 'inconclusive');
  const link = (number: number) => h('a', { href: `#exchange-${number}` }, String(number));
  const request = requestLines(one);
  const other = twin === undefined ? undefined : requestLines(twin);
  const answer = responseLines(one);
  return [
    h('p', { class: 'label' }, `${visible(one.label)} ${one.ms} ms, ${one.at.slice(11, 19)} UTC.`),
    ...open.map((row) => rowDetail(h, row, one.number)),
    ...baseStringBlock(h, one, twin, open),
    ...one.said.map(([caption, text]) => codeBlock(h, caption, visibleLines(text))),
    other === undefined
      ? linedBlock(h, ['Request'], request)
      : h(
          'div',
          { class: 'pair' },
          h(
            'div',
            null,
            linedBlock(h, ['Request ', link(one.number), ': marked is what its twin does not have'], request, other),
          ),
          h('div', null, linedBlock(h, ['Twin ', link(twin!.number), ', which is right'], other, request)),
        ),
    twin === undefined
      ? linedBlock(h, ['Response'], answer)
      : h(
          'div',
          { class: 'pair' },
          h('div', null, linedBlock(h, [`Response to ${one.number}`], answer, responseLines(twin))),
          h('div', null, linedBlock(h, [`Response to ${twin.number}`], responseLines(twin), answer)),
        ),
    ...oauthTable(h, one.request),
    fold(h, 'Bytes of the request', wireText(one.request), one.request.body),
    ...(one.response === undefined
      ? []
      : [fold(h, 'Bytes of the response', wireText(one.response), one.response.body)]),
  ];
}

/** Expected and received under their own labels, the hint, what the autopsy found, and the command. */
export function rowDetail<Made>(h: Make<Made>, row: PageRow, number: number): Made {
  const explained = (row.explanations ?? []).filter(({ exchange }) => exchange === number);
  // Nobody can compare two signatures; the deviation behind them and the base strings say more.
  const isNamed = explained.some(({ deviations }) => deviations.length > 0);
  const facts: [string, string | undefined][] = [
    ...(isNamed
      ? []
      : ([
          ['Expected', row.expected],
          ['Received', row.actual ?? row.reason],
        ] as [string, string | undefined][])),
    ['Hint', row.hint],
    ['Repeat', row.repeat],
  ];
  return h(
    'div',
    { class: `card ${row.outcome}` },
    h('p', null, h('a', { href: `#row-${row.id.replace(/[^\w/.-]/g, '_')}` }, visible(row.id)), ` ${row.outcome}`),
    h('p', null, visible(row.statement ?? '')),
    ...explained.flatMap(({ deviations, facts: known }) =>
      deviations.length === 0
        ? known.map((text) => h('p', null, visible(text)))
        : deviations.flatMap(({ id, summary, fix, snippet }) => [
            h(
              'p',
              null,
              h('strong', null, visible(summary)),
              ` ${visible(fix)} `,
              h('span', { class: 'muted' }, visible(id)),
            ),
            ...(snippet === undefined ? [] : [codeBlock(h, 'What to write instead', visibleLines(snippet))]),
          ]),
    ),
    h(
      'dl',
      { class: 'facts' },
      ...facts
        .filter(([, text]) => text !== undefined)
        .map(([label, text]) =>
          h('div', null, h('dt', null, label), h('dd', null, h('code', null, visible(text!.slice(0, 1000))))),
        ),
    ),
  );
}

/** The base string that RFC 5849 makes of the request: beside the one that the client signed, where that is known, or that of the twin. */
export function baseStringBlock<Made>(
  h: Make<Made>,
  one: PageExchange,
  twin: PageExchange | undefined,
  rows: readonly PageRow[],
): Made[] {
  const found = rows.flatMap(({ explanations = [] }) => explanations).find(({ exchange }) => exchange === one.number);
  if (found?.baseStrings !== undefined) {
    const { right, signed } = found.baseStrings;
    return [
      h(
        'div',
        { class: 'pair' },
        h('div', null, codeBlock(h, 'Base string that the client signed', visible(signed), visible(right))),
        h('div', null, codeBlock(h, 'Base string of RFC 5849', visible(right), visible(signed))),
      ),
    ];
  }
  const right = found?.baseString ?? one.baseString;
  if (right === undefined) return [];
  const fresh = /(oauth_nonce|oauth_timestamp|day_close_request_id)%3D[^%&]*/g;
  const like = twin?.baseString?.replace(
    fresh,
    (all, name: string) => new RegExp(`${name}%3D[^%&]*`).exec(right)?.[0] ?? all,
  );
  const same = like === right ? ': that of its twin, but for what has to be fresh' : '';
  return [
    codeBlock(h, `Base string of RFC 5849${same}`, visible(right), like === undefined ? undefined : visible(like)),
  ];
}

/** The parameters of the header that signs the request, each with its value before it was encoded. By its id a page that is drawn anew keeps it open. */
export function oauthTable<Made>(h: Make<Made>, { headers }: PageMessage, id?: string): Made[] {
  return headers
    .filter(([name, value]) => name.toLowerCase() === 'authorization' && /^oauth\s/i.test(value))
    .map(([, value]) => {
      const parts = value
        .slice(6)
        .split(',')
        .map((part) => part.trim());
      const cells = parts.map((part) => {
        const [name, ...values] = part.split('=');
        const raw = values.join('=').replace(/^"|"$/g, '');
        let decoded = raw;
        try {
          decoded = decodeURIComponent(raw);
        } catch {}
        return h(
          'div',
          null,
          h('dt', null, visible(name!.slice(0, 1000))),
          h('dd', null, h('code', null, visible(decoded.slice(0, 1000)))),
        );
      });
      return h(
        'details',
        id === undefined ? { class: 'fold' } : { class: 'fold', id },
        h('summary', null, 'The OAuth header taken apart'),
        h('dl', { class: 'facts' }, ...cells),
      );
    });
}

/** The head exactly as it was on the wire, and the body as bytes. */
export function fold<Made>(h: Make<Made>, title: string, head: string, body: PageBody, id?: string): Made {
  const bytes =
    body.text === undefined
      ? Uint8Array.from(atob(body.base64!), (unit) => unit.charCodeAt(0))
      : new TextEncoder().encode(body.text);
  return h(
    'details',
    id === undefined ? { class: 'fold' } : { class: 'fold', id },
    h('summary', null, `${title}, ${body.bytes.toLocaleString('en-US')} in the body`),
    codeBlock(h, 'Head on the wire', head),
    hexView(h, 'Body', bytes),
  );
}
