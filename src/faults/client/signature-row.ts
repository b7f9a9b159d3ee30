/** What most defects of a signature have in common: both operations, and the one row that the base string has. */
import type { ClientDefect } from './defect.ts';

export const ofSignature = {
  side: 'client',
  operation: 'both',
  breaks: ['authentication/signature-verifies'],
} as const satisfies Partial<ClientDefect>;
