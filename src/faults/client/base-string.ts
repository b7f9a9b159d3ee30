/** Clients that sign in a way that has a name among the deviations, and some that make another base string than any of them. */
import { signerOf } from '../../deviations/candidates.ts';
import type { Deviation } from '../../deviations/deviation.ts';
import { type DeviationId, deviationOf, deviations } from '../../deviations/index.ts';
import type { ClientAlteration, Context } from '../../peer/client/index.ts';
import { hmacWith } from '../../peer/client/other-signatures.ts';
import { type Pair, printAuthorization } from '../../protocol/index.ts';
import { auth, type ClientDefect, closeDayAuth, type StoredRequest, signing } from './defect.ts';

/** One name with two values: as sent they are in another order than sorted, and encoded they sort differently than raw. */
const repeatedName = closeDayWith(['sale_approved_sum', 'z'], ['sale_approved_sum', '\u00e9']);
const withQuery: StoredRequest = { ...closeDayWith(), target: '/api/v2/close-day/1111?x=1' };

/** What no call shows. */
const storedFor: Partial<Record<DeviationId, StoredRequest>> = {
  'query-left-out': withQuery,
  'query-kept-in-uri': withQuery,
  'duplicates-collapsed-last': repeatedName,
  'duplicates-joined-by-comma': repeatedName,
  'sorted-before-encoding': repeatedName,
  'sorted-by-key-only': repeatedName,
  // As names a comes first; as joined texts a-b=1 does, since - comes before =.
  'sorted-as-joined': closeDayWith(['a', '2'], ['a-b', '1']),
  // By bytes B comes first.
  'sorted-case-insensitively': closeDayWith(['a', '1'], ['B', '2']),
  // By bytes 10 comes before 9.
  'natural-order': closeDayWith(['sale_approved_sum', '9'], ['sale_approved_sum', '10']),
};

/** Clients that go wrong in the base string alone, or in single names and values alone. */
const alone: Partial<Record<DeviationId, DeviationId>> = {
  'lower-case-hex': 'wrong-encoder-in-base-string-only',
  'sub-delims-left-bare': 'wrong-encoder-in-base-string-only',
  'tilde-encoded': 'wrong-encoder-in-base-string-only',
  'space-as-plus': 'wrong-encoder-in-parameters-only',
  'plus-as-space': 'wrong-encoder-in-parameters-only',
};

const rowsOfTheirOwn = {
  'default-port-kept': 'uri-default-port',
  'port-left-out': 'uri-port',
  'host-case-kept': 'uri-host-case',
} as const;

export const deviatingDefects: readonly ClientDefect[] = deviations.flatMap((deviation) => {
  const { stage, client } = deviation;
  if (client === undefined) return [];
  const id = deviation.id as DeviationId;
  const set = [deviation, ...(id in alone ? [deviationOf(alone[id]!)] : [])];
  const breaks = rowsOfTheirOwn[id as keyof typeof rowsOfTheirOwn] ?? 'signature-verifies';
  const of = stage === 'key' ? closeDayAuth : auth;
  const defect = of(client.defect, client.summary, breaks, stage === 'key' ? keyOf(set) : baseStringOf(set));
  const stored = storedFor[id];
  return stored === undefined ? [defect] : [{ ...defect, reach: 'stored', stored: [stored] }];
});

export const baseStringDefects: readonly ClientDefect[] = [
  signing(
    'equal-values-signed-once',
    'Of parameters with the same value only the last one is signed, whatever their names',
    { parameters: (pairs) => [...new Map(pairs.map((pair) => [pair[1], pair])).values()] },
  ),
  signing('realm-signed', 'A realm is sent, and is in the base string too', {
    parameters: (pairs) => [...pairs, ['realm', 'Gateway']],
    authorization: (_, { done }) => printAuthorization(done.signed, { realm: 'Gateway' }),
  }),
  {
    ...signing(
      'repeated-names-with-brackets',
      'A name that occurs more than once is sent with brackets, and signed without them',
      {
        form: (form, { done }) =>
          done.fields
            .filter(([name], at) => done.fields.findIndex(([other]) => other === name) !== at)
            .reduce((text, [name]) => text.replaceAll(`${name}=`, `${name}%5B%5D=`), form),
      },
    ),
    reach: 'stored',
    stored: [repeatedName],
  },
  leavingBare(
    ',/:;@[]',
    'reserved-characters-signed-bare',
    'Characters such as / : , and @ of a value are encoded once in all, as a path encoder leaves them bare',
  ),
  leavingBare(
    '"<>\\^`{|}',
    'braces-and-quotes-signed-bare',
    'Characters such as { " < and ` of a value are encoded once in all',
  ),
  signing('path-signed-with-lower-case-escapes', 'Escapes of the path are signed with lower-case hex digits', {
    baseStringUri: (uri) => uri.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
  }),
  signing(
    'parts-joined-unencoded',
    'URI and parameters are in the base string without being encoded as a whole',
    baseStringOf([deviationOf('uri-not-encoded'), deviationOf('joined-string-not-encoded')]),
  ),
  signing('parts-in-another-order', 'The URI comes before the method', {
    baseString: (right) => {
      const [method, uri, parameters] = right.split('&');
      return [uri, method, parameters].join('&');
    },
  }),
];

/** These characters of names and values. */
function leavingBare(reserved: string, what: string, summary: string): ClientDefect {
  const bare = { ...deviationOf('slash-left-bare'), change: { reserved } };
  return signing(what, summary, baseStringOf([bare, deviationOf('wrong-encoder-in-parameters-only')]));
}

/** What the client of one call does wrong so far: two defects come together. */
const together = new WeakMap<Context['done'], readonly Deviation[]>();

/** Another base string, signed rightly. */
function baseStringOf(set: readonly Deviation[]): ClientAlteration {
  const baseString: ClientAlteration['baseString'] = (_, context) => {
    const all = [...(together.get(context.done) ?? []), ...set];
    together.set(context.done, all);
    return signerIn(context).baseString(all);
  };
  // The client tells its steps: the first that goes wrong is to show.
  const { stage } = set[0]!;
  return {
    ...(stage === 'collect' && { parameters: (_, context) => signerIn(context).parameters(set) }),
    ...((stage === 'encode' || stage === 'sort') && { normalized: (_, context) => signerIn(context).normalized(set) }),
    baseString,
  };
}

/** Another key of the HMAC. */
function keyOf(set: readonly Deviation[]): ClientAlteration {
  return { signature: (_, context) => hmacWith(signerIn(context).keyText(set), context.done.baseString) };
}

function signerIn({ done }: Context) {
  const { consumerKey, key } = done.credentials;
  const headers = [
    ['Content-Type', 'application/x-www-form-urlencoded'],
    ['Authorization', printAuthorization(done.unsigned)],
  ] as const;
  const request = { method: 'POST', ...done.url, headers, body: done.body };
  return signerOf(request, { consumerKey, consumerSecret: key.method === 'HMAC-SHA1' ? key.consumerSecret : '' });
}

function closeDayWith(...further: readonly Pair[]): StoredRequest {
  return { operation: 'close-day', fields: [['day_close_request_id', 'a1b2c3d4e5f6'], ...further] };
}
