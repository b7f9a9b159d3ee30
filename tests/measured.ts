/**
 * A reporter that prints measurements of tests, such as a rate, and why tests were skipped. If COUNTERSIGN_SKIPPED
 * names a file, the reporter writes the places of skipped tests into it. A second run, with all programs installed, can
 * then run these tests.
 */
import { writeFileSync } from 'node:fs';
import type { Reporter, TestCase } from '@playwright/test/reporter';

export default class MeasuredReporter implements Reporter {
  private readonly skipped = new Map<string, number>();
  private readonly places = new Set<string>();

  printsToStdio(): boolean {
    return false;
  }

  onTestEnd(test: TestCase): void {
    const notes = test.results.flatMap(({ annotations }) => annotations);
    for (const { type, description } of notes) {
      if (type === 'skip') {
        this.skipped.set(description ?? '', (this.skipped.get(description ?? '') ?? 0) + 1);
        this.places.add(`${test.location.file}:${test.location.line}`);
      }
      if (type.startsWith('measured: ')) process.stdout.write(`\n${type.slice('measured: '.length)}: ${description}\n`);
    }
  }

  onEnd(): void {
    for (const [reason, count] of this.skipped) process.stdout.write(`skipped ${count} for ${reason}\n`);
    const file = process.env.COUNTERSIGN_SKIPPED;
    if (file !== undefined) writeFileSync(file, [...this.places].join('\n'));
  }
}
