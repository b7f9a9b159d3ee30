/** The error for a defect that a command cannot be given, with the command that can. */
import { clientDefects } from '../../faults/client/index.ts';
import { gatewayDefects, mockDefects } from '../../faults/index.ts';
import { UsageError } from '../usage-error.ts';
import { unknown } from './run-flags.ts';

/** `known`: ids that the command takes. */
export function unknownDefect(side: 'gateway' | 'client', id: string, known: readonly string[]): UsageError {
  if (id.includes('*')) {
    return new UsageError(
      `--defect takes ids and no patterns, and ${id} is a pattern`,
      'Name each defect by its id: countersign list defects shows them.',
    );
  }
  const other = side === 'gateway' ? 'client' : 'gateway';
  const others: readonly { readonly id: string }[] = other === 'client' ? clientDefects : mockDefects;
  if (others.some((defect) => defect.id === id)) {
    return new UsageError(
      `${id} is a defect of a ${other}, and this command takes those of a ${side}`,
      `countersign ${other} --defect ${id} takes it.`,
    );
  }
  if (gatewayDefects.some((defect) => defect.id === id)) {
    return new UsageError(
      `a mock cannot be given the defect ${id}: only stored records show it`,
      `countersign explain ${id} says more.`,
    );
  }
  const what = side === 'client' ? 'client defect' : 'defect';
  return unknown(what, id, known, 'countersign list defects names them all');
}
