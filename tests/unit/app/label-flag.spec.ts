/** `--label`: bounded, harmless wherever a report shows it, and the same in every report. */
import { checkedLabels, flagsAgain } from '../../../src/app/config/run-flags.ts';
import { ctrfReport } from '../../../src/report/ctrf.ts';
import { jsonReport } from '../../../src/report/json.ts';
import { junitReport } from '../../../src/report/junit.ts';
import { summaryReport } from '../../../src/report/summary.ts';
import { textReport } from '../../../src/report/text.ts';
import { latencyOf } from '../../../src/verdict/gateway-evidence.ts';
import { expect, test } from '../../engine.ts';
import { answer, resultOf } from '../verdict/runs.ts';

test('labels are kept as they are given, and as a command takes them again', () => {
  const labels = checkedLabels(['gateway=4.12.0', 'ticket=OPS-7', 'note=a(b),c']);
  expect(labels).toEqual({ gateway: '4.12.0', ticket: 'OPS-7', note: 'a(b),c' });
  expect(flagsAgain({ label: ['gateway=4.12.0', 'note=a(b),c'] })).toEqual([
    '--label gateway=4.12.0',
    "--label 'note=a(b),c'",
  ]);
  expect(checkedLabels([])).toBeUndefined();
});

const [longName, longValue] = [`${'x'.repeat(41)}=a`, `a=${'x'.repeat(81)}`];
const acting = ['a=\u001b[31m', 'a=\u202e', "a='", 'a=`', '__proto__=x'];
for (const text of ['', 'a', '=b', 'a=', 'a b=c', 'a=b c', ...acting, longName, longValue]) {
  test(`the label ${JSON.stringify(text.slice(0, 20))} is refused`, () => {
    const hint = expect.stringContaining('A name has');
    expect(() => checkedLabels([text])).toThrow(expect.objectContaining({ name: 'UsageError', hint }));
  });
}

test('a name twice and more than twenty labels are refused', () => {
  expect(() => checkedLabels(['a=1', 'a=2'])).toThrow(/twice/);
  expect(() => checkedLabels(Array.from({ length: 21 }, (_, at) => `a${at}=1`))).toThrow(/20 labels at most/);
});

test('labels, latency and the time of a requirement stand in the reports', () => {
  const [first, second] = [answer('{}'), answer('{}')].map((one, at) => ({
    ...one,
    exchange: { ...one.exchange, durationMs: 1500 + at },
  }));
  const cases = [first!, second!];
  const result = resultOf(
    { 'close-day/a': { outcome: 'pass', exchanges: [1, 2] } },
    { labels: { gateway: '4.12.0' }, latency: latencyOf(cases) },
  );
  const statements = () => undefined;
  expect(result.latency).toEqual([{ operation: 'close-day', count: 2, p50Ms: 1500, p95Ms: 1501 }]);
  expect(JSON.parse(jsonReport(result)).labels).toEqual({ gateway: '4.12.0' });
  const text = textReport(result, { statements, colour: false, width: 100 });
  expect(text).toContain('\n  gateway=4.12.0\n');
  expect(text).toMatch(/\nlatency +close-day p50 1\.5 s, p95 1\.5 s\n/);
  expect(summaryReport(result, { statements })).toMatch(/`gateway=4\.12\.0`.* Latency: close-day p50/s);
  const junit = junitReport(result, { statements, cases });
  expect(junit).toContain('<property name="label.gateway" value="4.12.0"/>');
  expect(junit).toContain('name="close-day/a" classname="countersign.close-day.behaviour" time="3.001"');
  const { results } = JSON.parse(ctrfReport(result, { statements, cases }));
  expect(results.environment.extra).toMatchObject({ labels: { gateway: '4.12.0' } });
  expect(results.tests[0]).toMatchObject({ name: 'close-day/a', duration: 3001 });
});
