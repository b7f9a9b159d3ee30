/** Reshapes a close-day body as a whole: JSON in, JSON out, with longs that keep their digits. */
import type { Alteration } from '../../mock/alteration.ts';
import { editBody } from '../../mock/responses.ts';

/** A JSON object as JSON.parse gives it; a long is text that starts with `mark`. */
export type Json = Record<string, unknown>;

/** Before the digits of a long while the body is a value: a JavaScript number would round them (2.2). */
const mark = 'long:';

/** Changes the JSON of every close-day answer that has a body. `indent` as for JSON.stringify. */
export function reshape(change: (body: Json) => unknown, indent?: number): Alteration {
  return inText((text) => {
    const body: Json = JSON.parse(text.replace(/"(gateId|epntId)":(\d+)/g, `"$1":"${mark}$2"`));
    return JSON.stringify(change(body), undefined, indent).replace(new RegExp(`"${mark}(\\d+)"`, 'g'), '$1');
  });
}

/** Changes the text of every close-day answer that has a body. */
export function inText(change: (text: string) => string): Alteration {
  return {
    writes: (reply, { operation }) =>
      operation === 'close-day' && reply.body.length > 0 ? editBody(reply, change) : reply,
  };
}

/** The same value with the members of each object in the opposite order. */
export function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  );
}
