/** One desk to a state file. */
import { type Lock, takeProcessLock as lockOf } from '../../record/disk/processes.ts';
import { reasonOf } from '../../record/errors.ts';
import { DeskError } from './desk-error.ts';

/** Takes the lock of a state file. Throws DeskError `state-in-use` or `state-unwritable`. */
export function takeDeskLock(stateFile: string): Lock {
  const path = `${stateFile}.lock`;
  return lockOf(path, (refusal) => {
    switch (refusal.why) {
      case 'held':
        return new DeskError(
          'state-in-use',
          `the state file is in use by another desk, process ${refusal.holder}`,
          `stop that one, or name another file with --state; if process ${refusal.holder} is not a desk, remove the file ${path}`,
        );
      case 'contended':
        return new DeskError(
          'state-in-use',
          'the lock of the state file keeps changing hands',
          'start one desk at a time',
        );
      case 'unwritable':
        return new DeskError(
          'state-unwritable',
          `no lock beside ${stateFile} can be made (${reasonOf(refusal.cause)})`,
          'name another file with --state',
          refusal.cause,
        );
    }
  });
}
