/** What a careless client looks at in a body of close-day, where the reference client decodes no more. */

import { isJsonObject, type JsonObject, type JsonValue, readJson } from '../../protocol/index.ts';
import type { ReceivedResponse } from '../../record/exchange.ts';

export interface GlancedBody {
  readonly status?: string;
  /** A status that is there and no text: null, true, a number. */
  readonly isStatusNoText: boolean;
  /** That of a body without a response. */
  readonly statusBeside: JsonValue | undefined;
  /** Whether a member is there that section 2.2 does not name; an enclosing object counts as one. */
  readonly hasFurtherMembers: boolean;
}

const known = ['response', 'theRequestSerialNumber'];

/** Undefined where the body is not a JSON object. */
export function bodyOf({ body }: ReceivedResponse): GlancedBody | undefined {
  const value = objectIn(body);
  if (value === undefined) return undefined;
  const outer = isJsonObject(value.response) ? value : (Object.values(value).find(isJsonObject) ?? value);
  const status = isJsonObject(outer.response) ? outer.response.status : undefined;
  return {
    ...(typeof status === 'string' ? { status } : {}),
    statusBeside: isJsonObject(outer.response) ? undefined : value.status,
    isStatusNoText: status !== undefined && typeof status !== 'string',
    hasFurtherMembers: Object.keys(value).some((name) => !known.includes(name)),
  };
}

function objectIn(body: Uint8Array): JsonObject | undefined {
  try {
    const value: JsonValue = readJson(body);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
