/** Step 4, RFC 5849 section 3.4.1.1. */
import { percentEncode } from '../percent.ts';
export function baseString(method: string, uri: string, normalized: string): string {
  return `${method.toUpperCase()}&${percentEncode(uri)}&${percentEncode(normalized)}`;
}
