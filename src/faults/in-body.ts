/** Alterations of the text of close-day answers. */
import type { Alteration, Decision } from '../mock/alteration.ts';
import { editBody } from '../mock/reply.ts';

/** Changes the answers of one decision, or all. */
export function inBody(decision: Decision | undefined, edit: (text: string) => string): Alteration {
  return {
    writes: (reply, about) =>
      about.operation === 'close-day' && (decision === undefined || about.decision === decision)
        ? editBody(reply, edit)
        : reply,
  };
}
