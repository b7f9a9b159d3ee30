/** One run at a time to a target. */
import { type Lock, takeLock as lockOf } from '../../process-lock/process-lock.ts';
import { LiveError } from './live-error.ts';

/**
 * Takes the lock at that path. Nobody waits for another run: when that one has ended, a second one would spend its allowance
 * once more. Throws LiveError `in-use` or `bad-ledger`.
 */
export function takeLock(path: string): Lock {
  return lockOf(path, (refusal) => {
    switch (refusal.why) {
      case 'held':
        return new LiveError(
          'in-use',
          `another run is at this target: process ${refusal.holder}`,
          `Start this one when that one has ended. If process ${refusal.holder} is no run of the suite, remove the file ${path}.`,
        );
      case 'contended':
        return new LiveError('in-use', 'other runs are starting at this target', 'Start one run at a time.');
      case 'unwritable':
        return new LiveError('bad-ledger', `the file ${path} cannot be written`, 'Check the folder.', refusal.cause);
    }
  });
}
