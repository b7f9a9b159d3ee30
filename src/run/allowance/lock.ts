/** One run at a time to a target. */
import { dirname } from 'node:path';
import { makeFolders } from '../../record/disk/make-folders.ts';
import { type Lock, takeProcessLock as lockOf } from '../../record/disk/process-lock.ts';
import { reasonOf } from '../../record/disk/system-error.ts';
import { LiveError } from './live-error.ts';

/**
 * Takes the lock at that path. A run does not wait for another one: when that one has ended, a second one would spend its allowance
 * once more. Makes the
 * folder where there is none. Throws LiveError `in-use` or `bad-ledger`.
 */
export function takeLedgerLock(path: string): Lock {
  try {
    makeFolders(dirname(path), 0o700);
  } catch (cause) {
    throw unusable(dirname(path), 'the folder of the ledger', cause);
  }
  return lockOf(path, (refusal) => {
    switch (refusal.why) {
      case 'held':
        return new LiveError(
          'in-use',
          `another run is at this target: process ${refusal.holder}`,
          `Start this one when that one has ended. If process ${refusal.holder} is not a run of the suite, remove the file ${path}.`,
        );
      case 'contended':
        return new LiveError('in-use', 'other runs are starting at this target', 'Start one run at a time.');
      case 'unwritable':
        return unusable(path, 'the lock of the ledger', refusal.cause);
    }
  });
}

function unusable(path: string, what: string, cause: unknown): LiveError {
  return new LiveError(
    'bad-ledger',
    `${what}, ${path}, cannot be written (${reasonOf(cause)})`,
    'Nothing is sent without it: make room there and a plain file or folder of it, or choose another folder with ledger in ' +
      'the configuration, or with XDG_STATE_HOME.',
    cause,
  );
}
