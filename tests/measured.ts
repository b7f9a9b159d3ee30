/** Prints what tests measured, such as a rate: the tests themselves are quiet. */
import type { Reporter, TestCase } from '@playwright/test/reporter';

export default class MeasuredReporter implements Reporter {
  printsToStdio(): boolean {
    return false;
  }

  onTestEnd(test: TestCase): void {
    const results = test.results.flatMap(({ annotations }) => annotations);
    for (const { type, description } of results) {
      if (type.startsWith('measured: ')) process.stdout.write(`\n${type.slice('measured: '.length)}: ${description}\n`);
    }
  }
}
