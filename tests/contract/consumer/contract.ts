/** The contract of a consumer: real requests show its interactions, which together are the Pact file. */
import { mkdtempSync, rmSync } from 'node:fs';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import {
  MatchersV3,
  PactV3,
  type Rule,
  type Rules,
  SpecificationVersion,
  type V3Request,
  type V3Response,
} from '@pact-foundation/pact';
import type { ConsumerPact } from '@pact-foundation/pact-core';
import type { TestInfo } from '@playwright/test';
import { expect } from '../../engine.ts';

export interface Interaction {
  /** A provider state of src/extras/pact/signing-forwarder.ts. */
  readonly state: string;
  readonly description: string;
  readonly request: V3Request & { readonly rules: Rules };
  /** `rules`: further matching rules, besides those of matchers in the body. */
  readonly response: V3Response & { readonly rules?: Rules };
}

export const provider = 'payment-gateway';

const committed = join(import.meta.dirname, '../../../contracts/pacts');
const command = 'npx playwright test -c playwright.tests.config.ts tests/contract/consumer --update-snapshots';

// By default the library reports its use to a server on the internet.
process.env.PACT_DO_NOT_TRACK = 'true';

/** Writes a contract into a temporary folder, which is created on first use: listing tests creates none. */
export function contractOf(consumer: string) {
  const name = `${consumer}-${provider}.json`;
  let folder: string | undefined;
  const dir = () => {
    folder ??= mkdtempSync(join(tmpdir(), 'countersign-pacts-'));
    return folder;
  };
  return {
    /** Starts a server that answers as the interaction says. Stores the interaction if `use` sent a fitting request. */
    verify<T>(interaction: Interaction, use: (baseUrl: string) => Promise<T>): Promise<T> {
      const { rules, ...request } = interaction.request;
      const { rules: responseRules = {}, ...response } = interaction.response;
      const pact = new PactV3({
        consumer,
        provider,
        dir: dir(),
        spec: SpecificationVersion.SPECIFICATION_VERSION_V4,
        logLevel: 'error',
        cors: false,
      });
      pact.given(interaction.state).uponReceiving(interaction.description);
      pact.withRequestMatchingRules(request, rules);
      pact.withRequest(request).willRespondWith(response);
      pact.withResponseMatchingRules(request, responseRules);
      // The library has no public function for that, and creates another mock server after the test.
      const { pact: record } = pact as unknown as { pact: ConsumerPact };
      return pact.executeTest(({ url, port }) => use(url).finally(() => awaitRecording(record, port))) as Promise<T>;
    },
    /** Compares the stored interactions with the committed file. `--update-snapshots` replaces the file. */
    async expectCommitted({ config }: TestInfo): Promise<void> {
      if (config.updateSnapshots === 'all' || config.updateSnapshots === 'changed') {
        await mkdir(committed, { recursive: true });
        await copyFile(join(dir(), name), join(committed, name));
      }
      const written = await readFile(join(dir(), name), 'utf8');
      const found = await readFile(join(committed, name), 'utf8').catch(() => 'there is no such file');
      expect(withoutVersions(found), `contracts/pacts/${name} is stale; write it again with: ${command}`).toBe(
        withoutVersions(written),
      );
    },
    remove(): void {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The mock server answers before it stores the request, so a busy machine must wait. */
async function awaitRecording(record: ConsumerPact, port: number): Promise<void> {
  const isMissing = (result: object) => 'type' in result && result.type === 'missing-request';
  for (;;) {
    const results = record.mockServerMismatches(port);
    if (results.length === 0 || !results.every(isMissing)) return;
    await setTimeout(5);
  }
}

/** The text without the versions of the library, because a new version does not change the contract. */
export function withoutVersions(text: string): string {
  return text
    .replace(/("pact-js": \{\s*"version": )"[^"]*"/, '$1"any"')
    .replace(/("ffi": )"[^"]*"(,\s*"models": )"[^"]*"/, '$1"any"$2"any"');
}

const { eachLike, integer, regex, string } = MatchersV3;

type Answer = Interaction['response'];

/** The serial number of every example. */
export const serial = '00000000-0000-0000-0000-000002d9b22a';

const hex = (digits: number) => `[0-9A-Fa-f]{${digits}}`;
const serialForm = `^${[8, 4, 4, 4, 12].map(hex).join('-')}$`;
/** Matches a media type with a charset, ignoring case, white space, quotes and further parameters (RFC 9110 8.3). */
export const htmlForm = '^\\s*(?i:text/html)\\s*;(.*;)?\\s*(?i:charset)\\s*=\\s*"?(?i:utf-8)"?\\s*(;.*)?$';
const amountForm = '^-?\\d+\\.\\d{2}$';

/** The text members of a gate result, with their forms. */
const gateForms = {
  gateCloseDate: '^\\S+ \\S+ \\d{1,2} \\d\\d:\\d\\d:\\d\\d \\S+ \\d{4}$',
  saleAmount: amountForm,
  reversalAmount: amountForm,
};

/** A finished close-day with a result for each gate. */
export function finished(endpointId: string, isDayClosing: MatchersV3.Matcher<boolean>, min = 1): Answer {
  const example = gate(endpointId, false);
  const gates = eachLike(
    {
      ...example,
      gateId: integer(Number(example.gateId)),
      isDayClosing,
      epntId: integer(Number(example.epntId)),
      saleApprovedCount: string(example.saleApprovedCount),
      reversalApprovedCount: string(example.reversalApprovedCount),
      code39: string(example.code39),
      RRN: string(example.RRN),
    },
    min,
  );
  const rules = Object.entries(gateForms).map(([member, form]) => textRule(`$.response.gates[*].${member}`, form));
  return answer({ status: 'finished', gates }, rules);
}

/** Status `error` with a code of this form, as text or number (A10), and a value or a matcher for the message. */
export function failed(errorCode: { form: string; example: string }, errorMessage: unknown): Answer {
  // A regular expression alone also accepts a number with the same digits.
  return answer({ status: 'error', errorCode: regex(errorCode.form, errorCode.example), errorMessage }, []);
}

/** The gate result of the example, as the client decodes it. */
export function gate(endpointId: string, isDayClosing: boolean) {
  return {
    gateId: `7${endpointId.slice(1)}`,
    isDayClosing,
    gateCloseDate: 'Sat Jan 31 23:59:59 UTC 2026',
    epntId: endpointId,
    saleApprovedCount: '2',
    saleAmount: '10.42',
    reversalApprovedCount: '1',
    reversalAmount: '0.94',
    code39: '00',
    RRN: '000000000001',
  };
}

function answer(response: Record<string, unknown>, rules: readonly Rule[]): Answer {
  return {
    status: 200,
    headers: { 'Content-Type': regex(htmlForm, 'text/html;charset=utf-8') },
    // The header says HTML, so the body needs its own type to be compared as JSON.
    contentType: 'application/json',
    body: { response, theRequestSerialNumber: serial } as V3Response['body'],
    rules: { body: [...rules, textRule('$.theRequestSerialNumber', serialForm)] },
  };
}

/** A rule without an example, because the request or the answer has the example. */
export function regexRule(form: string) {
  return { 'pact:matcher:type': 'regex', regex: form };
}

/** Two rules, because a regular expression alone also accepts a number with the same digits. */
function textRule(path: string, form: string): Rule {
  return { path, rules: [{ 'pact:matcher:type': 'type' }, regexRule(form) as never] };
}
