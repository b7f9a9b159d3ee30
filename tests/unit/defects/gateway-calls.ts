/** Requests to a mock with one defect, and whether it takes them. */

import { gatewayDefects } from '../../../src/faults/index.ts';
import * as mock from '../../../src/mock/index.ts';
import { otherPrivateKeyPem, otherSecret } from '../../../src/plan/other-keys.ts';
import { readPrivateKey, signRequest } from '../../../src/protocol/index.ts';
import { batchRequest, type Call, csv, noon, payload, request } from '../mock/caller.ts';

export interface Answered {
  readonly status: number;
  readonly headers: string;
  readonly text: string;
  /** As a caller sees it: by the answer, not by what the mock decided. */
  readonly accepted: boolean;
  /** Of the mock, after the last request. */
  readonly counters: mock.Counters;
}

/** What a fresh mock answers to the last of these requests. */
export function answered(id: string | undefined, requests: readonly mock.Received[], next?: mock.NextAnswer): Answered {
  const defect = gatewayDefects.find((candidate) => candidate.id === id);
  if (id !== undefined && defect === undefined) throw new Error(`there is no gateway defect ${id}`);
  const alterations = defect === undefined ? [] : [defect.alteration];
  const world = mock.defaultWorld();
  if (next !== undefined) world.nextAnswers.set('1111', [next]);
  const settings = mock.settingsWith(alterations);
  const answers = requests.map((one) => mock.respond(one, world, settings, noon, mock.joinAlterations(alterations)));
  const { status, headers, body, about } = answers.at(-1)!;
  const text = Buffer.from(body).toString('utf8');
  const accepted = status === 200 && (about.operation === 'close-day' ? text.includes('"finished"') : text === '');
  return {
    status,
    headers: headers.map((line) => line.join(': ')).join('\n'),
    text,
    accepted,
    counters: world.counters,
  };
}

const id = ['day_close_request_id', '902B4FF5'] as const;

export function closeDay(call: Call = {}): readonly mock.Received[] {
  return [request(call)];
}

/** A close-day with its id and these fields. */
export function withFields(...fields: (readonly [string, string])[]): readonly mock.Received[] {
  return closeDay({ fields: [id, ...fields] });
}

export function withId(text: string): readonly mock.Received[] {
  return closeDay({ fields: [['day_close_request_id', text]] });
}

export function batch(text: string = csv, call: Call = {}): readonly mock.Received[] {
  return [batchRequest(text, call)];
}

/** Both operations without that parameter. */
export function without(name: string): readonly (readonly mock.Received[])[] {
  return [closeDay({ oauth: { [name]: undefined } }), batch(csv, { oauth: { [name]: undefined } })];
}

export function unsigned(sent: readonly mock.Received[]): readonly mock.Received[] {
  return sent.map((one) => ({ ...one, headers: one.headers.filter(([name]) => name !== 'Authorization') }));
}

export function ofType(type: string, sent: readonly mock.Received[]): readonly mock.Received[] {
  return sent.map((one) => ({
    ...one,
    headers: one.headers.map(([name, value]) => [name, name === 'Content-Type' ? type : value] as const),
  }));
}

/** Signed as one request and sent as another. */
export function signedAs(signed: Call, sent: Partial<mock.Received>): readonly mock.Received[] {
  return [{ ...request(signed), ...sent }];
}

export const otherSecretUsed = closeDay({ secret: otherSecret });

/** A right batch but for the key pair. */
export const otherKeyPairUsed: readonly mock.Received[] = batch().map((one) => {
  const { authorization } = signRequest(
    { ...one, body: [['payload', payload(csv)]] },
    {
      consumerKey: mock.publishedIdentity.consumerKey,
      key: { method: 'RSA-SHA256', privateKey: readPrivateKey(otherPrivateKeyPem) },
    },
    { timestamp: String(noon / 1000), nonce: 'other' },
  );
  return {
    ...one,
    headers: one.headers.map(([name, value]) => [name, name === 'Authorization' ? authorization : value] as const),
  };
});
