/** Clients that sign parameters in another order than RFC 5849 section 3.4.1.3.2. */
import type { ClientAlteration } from '../../peer/client/index.ts';
import { type Pair, percentEncode } from '../../protocol/index.ts';
import type { ClientDefect } from './defect.ts';
import { byText, type Normalizing, normalizedWith } from './normalizing.ts';
import { ofSignature } from './signature-row.ts';
import { capitalName, nameInsideName, repeatedName, repeatedNumber } from './stored-requests.ts';

export const signedOrderDefects: readonly ClientDefect[] = [
  {
    ...ofSignature,
    id: 'authentication/parameters-not-sorted',
    summary: 'Parameters are signed in the order in which they were collected',
    alteration: sorts('as-collected'),
  },
  {
    ...ofSignature,
    id: 'authentication/sorted-before-encoding',
    summary: 'Parameters are sorted first and encoded afterwards',
    reach: 'stored',
    stored: [repeatedName],
    alteration: {
      normalized: (_, { done }) => {
        const sorted = [...done.parameters].sort(([a, x], [b, y]) => byText(a, b) || byText(x, y));
        return sorted.map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`).join('&');
      },
    },
  },
  {
    ...ofSignature,
    id: 'authentication/sorted-as-joined-texts',
    summary: 'Parameters are sorted as texts name=value, where - comes before =',
    reach: 'stored',
    stored: [nameInsideName],
    alteration: sorts((a, b) => byText(a.join('='), b.join('='))),
  },
  {
    ...ofSignature,
    id: 'authentication/sorted-by-name-alone',
    summary: 'Values of one name keep the order in which they were collected',
    reach: 'stored',
    stored: [repeatedName],
    alteration: sorts((a, b) => byText(a[0], b[0])),
  },
  {
    ...ofSignature,
    id: 'authentication/sorted-without-case',
    summary: 'Names are sorted without regard to case',
    reach: 'stored',
    stored: [capitalName],
    alteration: sorts((a, b) => byText(a[0].toLowerCase(), b[0].toLowerCase()) || byText(a[1], b[1])),
  },
  {
    ...ofSignature,
    id: 'authentication/sorted-in-natural-order',
    summary: 'Values that are numbers are sorted as numbers: 10 after 9',
    reach: 'stored',
    stored: [repeatedNumber],
    alteration: sorts((a, b) => byText(a[0], b[0]) || byNumber(a, b) || byText(a[1], b[1])),
  },
];

function sorts(order: Normalizing['order']): ClientAlteration {
  return { normalized: (_, { done }) => normalizedWith(done.parameters, { order }) };
}

function byNumber([, a]: Pair, [, b]: Pair): number {
  return /^\d+$/.test(a) && /^\d+$/.test(b) ? Number(a) - Number(b) : 0;
}
