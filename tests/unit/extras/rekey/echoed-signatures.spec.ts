/** An answer that repeats a signature of its request: a copy holds none that was made with the original secret. */
import { gzipSync } from 'node:zlib';
import { rekeyRecordings } from '../../../../src/extras/rekey/rekey.ts';
import type { ReceivedResponse, SentRequest } from '../../../../src/record/exchange.ts';
import type { Recording } from '../../../../src/verdict/recordings/recording.ts';
import { expect, test } from '../../../engine.ts';

const signature = 'k+QMDBBNzAXUmpT0Hz/X1dGyMOs=';
const escaped = 'k%2BQMDBBNzAXUmpT0Hz%2FX1dGyMOs%3D';

const echoes: Readonly<Record<string, string>> = {
  'as it is': `bad signature ${signature}`,
  'as it was written': `<p>${escaped}</p>`,
  'behind its name': `signature=${escaped}, 100% sure`,
  'in a form': `type=error\n&error-message=${encodeURIComponent(`signature ${escaped}`)}`,
  'behind blanks of a form': `${new URLSearchParams({ m: `bad signature ${signature}` })}`,
  'behind a line feed of a form': `m=expected%0A${escaped}`,
  'behind a line feed of JSON': JSON.stringify({ m: `expected\n${signature}` }),
  'in JSON of .NET': `{"m":"${signature.replaceAll('+', '\\u002B')}"}`,
  'in JSON inside of JSON': JSON.stringify({ m: JSON.stringify({ m: signature }).replaceAll('/', '\\/') }),
  'in JSON': JSON.stringify({ errorMessage: `"${signature}"` }).replaceAll('/', '\\/'),
};

for (const [how, text] of Object.entries(echoes)) {
  test(`a signature that an answer repeats ${how} goes, at its length`, () => {
    const given = answer(text);
    const { body, headers } = withoutEchoes(given, request(`OAuth oauth_signature="${escaped}"`));
    expect(body).toHaveLength(given.body.length);
    for (const left of [Buffer.from(body).toString(), headers.join()]) expect(left).not.toMatch(/QMDBBNzAXUmpT0Hz/);
  });
}

test('of signatures in the body, too, none is left', () => {
  const { body } = withoutEchoes(answer(`no ${signature}`), request('', `a=1&oauth_signature=${escaped}`));
  expect(Buffer.from(body).toString()).toMatch(/^no \S{28}$/);
  expect(Buffer.from(body).toString()).not.toContain(signature);
});

test('a signature that was escaped twice goes, whoever took off how many escapes', () => {
  const twice = encodeURIComponent(escaped);
  for (const text of [twice, escaped, signature]) {
    const { body } = withoutEchoes(answer(text), request(`OAuth oauth_signature="${twice}"`));
    expect(Buffer.from(body).toString()).not.toContain('QMDBBNzAXUmpT0Hz');
  }
});

for (const [how, text] of Object.entries(echoes)) {
  test(`the signature that an answer expected goes too, told ${how}`, () => {
    for (const sent of ['', 'OAuth oauth_signature="AAAAAAAAAAAAAAAAAAAAAAAAAAA%3D"', 'OAuth oauth_signature=""']) {
      const { body, headers } = withoutEchoes(answer(text), request(sent));
      for (const left of [Buffer.from(body).toString(), headers.join()]) expect(left).not.toMatch(/QMDBBNzAXUmpT0Hz/);
    }
  });
}

test('an answer that has none stays what it is, base64 of more or fewer bytes included', () => {
  for (const text of ['no', 'A'.repeat(32), `${'A'.repeat(26)}==`, `${'A'.repeat(31)}=`, `${'A'.repeat(27)}==`]) {
    const plain = answer(text, gzipSync(text));
    expect(withoutEchoes(plain, request(`OAuth oauth_signature="${escaped}"`))).toEqual(plain);
    const about = answer(text);
    expect(withoutEchoes(about, request('OAuth oauth_signature_method="HMAC-SHA1", oauth_signature=""'))).toEqual(
      about,
    );
  }
});

test('equal texts get equal stand-ins in all answers, and others others', () => {
  const [one, again, other] = [signature, signature, 'AAAABBBBCCCCDDDDEEEEFFFFGGG='].map((text) =>
    String(Buffer.from(withoutEchoes(answer(text), request('')).body)),
  );
  expect(one).toBe(again);
  expect(one).not.toBe(other);
});

function withoutEchoes(response: ReceivedResponse, request: SentRequest): ReceivedResponse {
  const exchange = { request, response, startedAt: 0, durationMs: 1 };
  const label = { operation: 'close-day', intent: 'open' } as const;
  const recording: Recording = {
    client: { calls: [], skipped: [] },
    cases: [{ scenario: 's', number: 1, label, exchange }],
    strangers: 0,
  };
  const options = { side: 'gateway', salt: 'salt', secrets: [], keysOf: () => ({}) } as const;
  return rekeyRecordings([recording], options).recordings[0]!.cases[0]!.exchange.response!;
}

function request(authorization: string, body = ''): SentRequest {
  const headers = [['Authorization', authorization]] as const;
  return { method: 'POST', scheme: 'https', host: 'a.test', target: '/api', headers, body: Buffer.from(body) };
}

function answer(text: string, body: Uint8Array = Buffer.from(text)): ReceivedResponse {
  return { status: 403, reason: 'Forbidden', headers: [['X-Why', text.replaceAll('\n', ' ')]], body };
}
