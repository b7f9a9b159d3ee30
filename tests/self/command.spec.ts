/** The commands of a whole run as a person starts them, and the benchmark. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runInProcess } from '../../src/app/prove/run-in-process.ts';
import { publishedIdentity } from '../../src/mock/identity.ts';
import type { Case } from '../../src/record/case.ts';
import { readHar } from '../../src/record/read-har.ts';
import type { Result } from '../../src/record/result/result.ts';
import { completeRunOptions } from '../../src/run/options/run-options.ts';
import { expect, test } from '../engine.ts';
import { root } from '../house/tree.ts';
import { here } from '../unit/app/run-command.ts';
import { spawnMain } from '../unit/app/spawned.ts';
import { differences, propertiesOf } from './properties-of-request.ts';

test.describe('command', () => {
  interface Run {
    readonly result: Result;
    readonly cases: readonly Case[];
  }

  test.describe.configure({ mode: 'serial', timeout: 240_000 });
  let first: Run;

  test.beforeAll(async () => {
    first = await runHere('7');
  });

  test('a run sends at least 500 exchanges, 250 of them distinct without nonce, timestamp and signature', () => {
    const { cases } = first;
    const distinct = new Set(
      cases.map(({ exchanges: [exchange] }) => JSON.stringify([...withoutPort(exchange.request)])),
    );
    expect(cases.length).toBeGreaterThanOrEqual(500);
    expect(distinct.size).toBeGreaterThanOrEqual(250);
  });

  test('every testable row of the gateway has an outcome', () => {
    const { results } = first.result;
    const missing = results.filter(
      ({ outcome, reason }) => outcome === 'inconclusive' || (outcome !== 'pass' && !reason),
    );
    expect(missing.map(({ id }) => id)).toEqual([]);
    // Plain http cannot show TLS, and a minute of silence needs --slow; every other condition is brought about on the
    // mock.
    const unseen = results.filter(({ reason }) => reason === 'condition never observed').map(({ id }) => id);
    expect(unseen).toEqual(['recurring/keep-alive-kept', 'transport/https-served']);
  });

  test('each negative differs from its accepted twin in exactly one property', () => {
    const { cases } = first;
    const byRef = new Map(cases.map((testCase) => [`${testCase.scenario}#${testCase.number}`, testCase]));
    const negatives = cases.filter(({ label }) => label.intent === 'fault');
    expect(negatives.length).toBeGreaterThan(200);
    const wrong = negatives.flatMap(({ scenario, number, label, exchanges: [exchange] }) => {
      const twin = byRef.get(`${label.twin?.scenario}#${label.twin?.number}`);
      const key =
        label.operation === 'close-day'
          ? { consumerSecret: publishedIdentity.consumerSecret }
          : { publicKeyPem: publishedIdentity.publicKeyPem };
      const differing =
        twin === undefined ? ['no twin'] : differences(exchange.request, twin.exchanges[0].request, key);
      // A large body, or a header that lacks several parameters, has more: what refuses it proves nothing, and what
      // accepts it fails.
      const hasMore =
        /\blarge\b|\b64 KiB$|^(?:another key|no body signed|no Authorization header) beside |^\S.* in a further field$|^the (?:first|second) of two .*query parameters unsigned$|^oauth_consumer_key (?:and oauth_signature )?alone$|^neither oauth_\w+ nor oauth_\w+$| in place of (?:payload|day_close_request_id)$/.test(
          label.differsIn ?? '',
        );
      return differing.length === 1 || (hasMore && differing.length > 1)
        ? []
        : [`${scenario} ${number} (${label.differsIn}): ${differing.join(', ')}`];
    });
    expect(wrong).toEqual([]);
  });

  test('the command gives the same results for the same seed, with the same methods, paths and bodies, and verifies the contracts @all', async () => {
    const repeated = await runCommand('7');
    expect(outcomesOf(repeated)).toEqual(outcomesOf(first));
    expect(requestsOf(repeated)).toEqual(requestsOf(first));
    expect(repeated.result.contracts?.map(({ outcome }) => outcome)).toEqual(Array(21).fill('pass'));
    expect(await spawnMain(['rekey', here('run'), '--out', here('copy')]).ended).toBe(0);
  });

  /** With the options that the command has by default, and without the contracts. */
  function runHere(seed: string): Promise<Run> {
    const options = completeRunOptions({ seed }, Date.now(), '/nowhere');
    return runInProcess(options, { usesOracle: false, outcomesOnly: true });
  }

  async function runCommand(seed: string): Promise<Run> {
    expect(await spawnMain(['gateway', '--seed', seed, '--out', here('run')]).ended).toBe(0);
    return {
      result: JSON.parse(readFileSync(here('run', 'report.json'), 'utf8')),
      cases: readHar(readFileSync(here('run', 'exchanges.har'), 'utf8')).entries.map(({ testCase }) => testCase!),
    };
  }

  function outcomesOf({ result }: Run): unknown {
    return result.results.map(({ id, outcome, remark }) => ({ id, outcome, remark }));
  }

  /** What was sent, as a multiset: method, path and decoded body, without what is fresh in it. */
  function requestsOf({ cases }: Run): string[] {
    return cases
      .map(({ exchanges: [{ request }] }) => {
        const path = request.target
          .replace(/^http:\/\/[^/]*/, '')
          .replace(/(oauth_(?:timestamp|nonce|signature)=)[^&]*/g, '$1');
        const fields = [...new URLSearchParams(Buffer.from(request.body).toString())];
        const pairs = fields.filter(([name]) => !/^oauth_(?:timestamp|nonce|signature)$/.test(name));
        return JSON.stringify([request.method, path, pairs]);
      })
      .sort();
  }

  function withoutPort(request: Case['exchanges'][0]['request']): Map<string, string> {
    const properties = propertiesOf(request);
    return properties.set('target', request.target.replace(/^http:\/\/[^/]*/, ''));
  }
});

test('the alternatives that the benchmarks compare give the same answers', { tag: '@all' }, async () => {
  // Exit code 1, where one is wrong, makes this reject.
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'bench', 'run.mjs'), '--smoke']);
  const lines = stdout.trimEnd().split('\n').slice(1);
  expect(lines.filter((line) => !/: the same from .*\bcountersign\b/.test(line))).toEqual([]);
  expect(lines.length).toBe(4);
  expect(lines.filter((line) => line.includes('oauth-1.0a') && line.includes('createHmac'))).toHaveLength(1);
});
