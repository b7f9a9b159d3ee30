/** What defects of the reference client do that no table of them says: where credentials are, and what is sent again. */

import { clientDefects } from '../../../src/faults/client/index.ts';
import { decodeForm } from '../../../src/protocol/index.ts';
import { headerValues, type SentRequest } from '../../../src/record/exchange.ts';
import { expect, test } from '../../engine.ts';
import { type Call, plainBatch, plainCloseDay, type Trace, traced } from './telling-calls.ts';

async function sent(id: string, call: Call): Promise<Trace> {
  return traced(call, [clientDefects.find((defect) => defect.id === id)!.alteration]);
}

function header(request: SentRequest, name = 'authorization'): string {
  return headerValues(request.headers, name)[0] ?? '';
}

test('without an Authorization header the credentials are elsewhere, or nowhere', async () => {
  for (const id of ['credentials-in-body', 'credentials-in-query', 'no-credentials']) {
    const [request] = (await sent(`authentication/${id}`, plainCloseDay)).requests;
    expect(header(request!)).toBe('');
    const names = decodeForm(request!.body).map(([name]) => name);
    expect(names.filter((name) => name.startsWith('oauth_'))).toHaveLength(id === 'credentials-in-body' ? 6 : 0);
    expect(header(request!, 'content-length')).toBe(String(request!.body.length));
  }
});

test('what is sent again carries the same header, and the second answer counts', async () => {
  const page = { response: { status: 503, reason: '', headers: [], body: new Uint8Array() } };
  const moved = { response: { ...page.response, status: 307, headers: [['Location', '../elsewhere']] as const } };
  const again = await sent('authentication/retried-as-signed-before', { ...plainBatch, answers: [page, page] });
  expect(again.requests[1]).toEqual(again.requests[0]);
  const followed = await sent('authentication/redirect-followed-as-signed-before', {
    ...plainBatch,
    answers: [moved, page],
  });
  expect(followed.requests[1]).toEqual({
    ...followed.requests[0],
    target: '/pay%20Net/api/v4/elsewhere',
  });
});

test('only what failed for its certificate is sent again without looking at it', async () => {
  const tls = { failure: { kind: 'tls', message: 'unknown authority' } } as const;
  const given = await sent('transport/certificate-given-up', { ...plainBatch, answers: [tls] });
  expect(given.trusting).toEqual([false, true]);
  const reset = { failure: { kind: 'reset', message: 'gone' } } as const;
  const kept = await sent('transport/certificate-given-up', { ...plainBatch, answers: [reset] });
  expect(kept.trusting).toEqual([false]);
});
