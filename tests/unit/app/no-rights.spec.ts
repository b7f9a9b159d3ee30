/** What this user may not read is said to be that: no other file has to be given, and nobody changed it. */
import { orRefused } from '../../../src/app/commands/certificate.ts';
import { readable } from '../../../src/app/config/stored-runs.ts';
import { unusable } from '../../../src/extras/certificate/evidence-digest.ts';
import { whyUnreadable } from '../../../src/record/disk/files.ts';
import { expect, test } from '../../engine.ts';

const refused = (code: string) => whyUnreadable(Object.assign(new Error(code), { code }));

for (const code of ['EACCES', 'EPERM']) {
  test(`a run that may not be read (${code}) has to be made readable`, () => {
    expect(() => readable('run/report.json', refused(code))).toThrow(
      expect.objectContaining({
        message: 'run/report.json may not be read by this user',
        hint: 'Let this user read it.',
      }),
    );
  });

  test(`evidence that may not be read (${code}) is not called changed, and is wrong use`, async () => {
    expect(await said(() => Promise.reject(unusable('run/ctrf.json', refused(code))))).toEqual([
      2,
      'countersign: refused: run/ctrf.json may not be read by this user. Let this user read the files of the evidence.\n',
    ]);
  });
}

test('another file that cannot be used keeps its advice', async () => {
  expect(() => readable('run', refused('ENOENT'))).toThrow(
    expect.objectContaining({ hint: 'Give a HAR file, or the folder of a run.' }),
  );
  const [exitCode, sentence] = await said(() => Promise.reject(unusable('run/ctrf.json', refused('EISDIR'))));
  expect(exitCode).toBe(1);
  expect(sentence).toContain(
    'run/ctrf.json is a folder. Ask the issuer of the certificate for the files as they were.',
  );
});

async function said(act: () => Promise<0>): Promise<readonly [exitCode: number, sentence: string]> {
  let sentence = '';
  const surroundings = {
    out: () => undefined,
    err: (text: string) => {
      sentence += text;
    },
  };
  const exitCode = await orRefused(surroundings, false, act);
  return [exitCode, sentence];
}
