/** `countersign doctor`: its text, its JSON, and its exit codes for wrong use. */

import { createServer, type RequestListener } from 'node:http';
import { dirname, join } from 'node:path';
import { doctorText } from '../../../src/app/commands/doctor.ts';
import { defaultConfig } from '../../../src/app/config/run-flags.ts';
import { startMock } from '../../../src/mock/server.ts';
import { expect, test } from '../../engine.ts';
import { privatePemOf, shopKeys } from '../../keys/index.ts';
import { listen } from '../../listen.ts';
import { here, refuses, run } from './run-command.ts';
import { file } from './signed-call.ts';

const using = `Using ${defaultConfig} of this folder. For the built-in mock, write --target mock`;
for (const [what, command, name, message] of [
  ['doctor needs a target', 'doctor', 'other.yaml', 'the target is missing. Add --config or --target.'],
  ['doctor uses the file that init writes', 'doctor', defaultConfig, using],
  ['gateway uses the file that init writes', 'gateway', defaultConfig, using],
] as const) {
  test(what, async () => {
    // There may be a configuration in the working directory.
    const before = process.cwd();
    process.chdir(dirname(file(here(name), 'environment: nonsense\n')));
    try {
      expect(await run([command])).toMatchObject({ exitCode: 2, err: expect.stringContaining(message) });
    } finally {
      process.chdir(before);
    }
  });
}

test('the built-in mock is no target of doctor', async () => {
  await refuses(['doctor', '--target', 'mock'], 'the target is the built-in mock, which needs no check');
});

test('each fault of the file is a finding with its line, and nothing is sent', async () => {
  const path = file(here('c.yaml'), 'enviroment: integration\ntarget: https://127.0.0.1:1\nendpointId: 0111\n');
  const { exitCode, out, err } = await run(['doctor', '--config', path, '--json']);
  const result = JSON.parse(out);
  expect([exitCode, result.exitCode]).toEqual([2, 2]);
  expect(err).toContain('Write endpoint-id for endpointId.');
  expect(result).toMatchObject({ format: 'countersign-doctor', formatVersion: 1 });
  expect(result.findings.map(({ id, status, what }: Record<string, string>) => [id, status, what])).toEqual([
    ['config', 'problem', `${path}:1: enviroment is not a known key; perhaps "environment" is meant`],
    ['config', 'problem', `${path}:3: endpoint-id is 0111 (number); it must be text (in quotes): "0111"`],
  ]);
});

test('a mock on this machine needs no file, and its signatures are not checked', async () => {
  const mock = await startMock();
  try {
    const { exitCode, out } = await run(['doctor', '--target', mock.baseUrl]);
    expect(exitCode).toBe(1);
    const told = out.replace(/\s+/g, ' ');
    for (const words of [
      'a target on this machine gets the published test identity',
      'close-day: signature not checked: the check would have an effect',
      'add --allow closes-day=1.',
      'add --allow starts-payments=1/1.00.',
    ])
      expect(told).toContain(words);
    // Without a configuration, there is no file to which the user could add credentials.
    expect(told).not.toContain('environment:');
    expect(out.split('\n').filter((line) => line.length > 100)).toEqual([]);
    expect(out).not.toContain('\u001b');
  } finally {
    await mock.close();
  }
});

/** A gateway that answers with `answer`, and the requests that it got. */
async function listening(answer: RequestListener) {
  const requests: string[] = [];
  const gateway = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  return { asked: requests, gateway, ...(await listen(gateway)) };
}

test('the path has the version of the configuration, or else that of the document', async () => {
  const { asked, port, gateway } = await listening((_, response) => {
    response.writeHead(403, { 'Content-Length': 0 }).end();
  });
  const yaml = `target: http://127.0.0.1:${port}/x\nunknownEndpointId: "9"\nversions: { close-day: v3.1 }\n`;
  try {
    await run(['doctor', '--config', file(here('c.yaml'), yaml)]);
    expect(asked).toEqual(['GET /x/', 'POST /x/api/v3.1/close-day/9', 'POST /x/api/v4/process-recurring-payments/9']);
  } finally {
    gateway.close();
  }
});

test('if its close-day is interrupted, doctor sends nothing more and says what it has booked', async () => {
  const { asked, port, gateway } = await listening((request, response) => {
    const signed = request.headers.authorization !== undefined;
    if (signed) process.emit('SIGHUP', 'SIGHUP');
    const body = signed ? '{"code":0}' : '';
    setTimeout(() => response.writeHead(signed ? 200 : 403, { 'Content-Length': body.length }).end(body), 50);
  });
  try {
    const folder = dirname(file(here('key.pem'), privatePemOf(shopKeys)));
    file(join(folder, 'secret.txt'), 'secret-of-the-doctor-test\n');
    const yaml = `environment: integration
target: http://127.0.0.1:${port}
endpoint-id: "1111"
unknown-endpoint-id: "999999999"
credentials: { consumer-key: shop, consumer-secret-file: secret.txt, private-key-file: key.pem }
allow: { closes-day: 1 }
`;
    const result = await run(['doctor', '--config', file(join(folder, 'c.yaml'), yaml)]);
    const booked =
      'doctor booked closes-day 1 and starts-payments 0 with a total of 0.00 in the ledger; the worst case is ';
    const err = expect.stringContaining(`countersign: doctor was interrupted before its end; ${booked}`);
    expect(result).toEqual({ exitCode: 3, out: '', err });
    expect(asked.slice(-1)).toEqual(['POST /api/v2/close-day/1111']);
  } finally {
    gateway.close();
  }
});

test('each kind of finding has its sign besides its colour, and the last line counts them', () => {
  const findings = [
    { id: 'a', status: 'ok', what: 'one' },
    { id: 'b', status: 'problem', what: 'two\u202e', hint: 'do this' },
    { id: 'c', status: 'unchecked', what: 'three' },
    { id: 'd', status: 'remark', what: 'four' },
  ] as const;
  const plain = doctorText('https://x', findings, { width: 40, colour: false });
  expect(plain).toBe(
    'https://x\n✓ one\n✗ two<U+202E>\n  do this\n? three\n- four\n1 problem, 1 not checked, 1 passed.\n',
  );
  const long = { id: 'e', status: 'problem', what: `the file /${'a'.repeat(50)}/b.yaml is gone` } as const;
  // A path stays on one line, so that it can be copied.
  expect(doctorText('https://x', [long], { width: 40, colour: false })).toContain(`\n  /${'a'.repeat(50)}/b.yaml\n`);
  const coloured = doctorText('https://x', findings, { width: 40, colour: true });
  expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(plain);
  expect(coloured).not.toBe(plain);
  expect(doctorText('https://x', [findings[0]], { width: 40, colour: false })).toContain('All checks passed.');
});
